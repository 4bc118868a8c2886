import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readChart, type Chart } from './checks/chart.ts';
import { chartFaults } from './checks/chart-faults.ts';
import { variableFaults } from './checks/variable-faults.ts';

const chart = readChart('deploy/helm/spandrel');
const changed = (change: (copy: Chart) => void): string[] => {
  const copy = structuredClone(chart);
  change(copy);
  return chartFaults(copy);
};
const edit = (name: string, from: string, to: string) => (copy: Chart) => {
  const before = copy.templates[name]!;
  copy.templates[name] = before.replace(from, to);
  expect(copy.templates[name]).not.toBe(before);
};

/** The checks of scripts/lint-deploy.mjs can fail. */
describe('the checks of the chart', () => {
  it('find nothing in the chart as it is', () => {
    expect(chartFaults(chart)).toEqual([]);
  });

  it.each<[string, (copy: Chart) => void, RegExp]>([
    [
      'a value that is misspelt',
      edit('server-service.yaml', '.Values.service.type', '.Values.service.kind'),
      /\.Values\.service\.kind: not in values/,
    ],
    [
      'a value that nobody uses',
      (copy) => (copy.values['imagePullPolicy'] = 'Always'),
      /imagePullPolicy is used by no template/,
    ],
    ['a block without an end', edit('ingress.yaml', '{{- end }}', ''), /ingress\.yaml: 1 blocks have no end/],
    ['an end without a block', edit('ingress.yaml', '{{- if .Values.ingress.enabled }}', ''), /one end too many/],
    ['an include of nothing', edit('ingress.yaml', 'spandrel.fullname', 'spandrel.name'), /include "spandrel\.name"/],
    ['a function that is not known', edit('config-map.yaml', 'toYaml', 'toYAML'), /toYAML is not known/],
    ['braces that do not match', edit('ingress.yaml', '}}', '}'), /braces do not match/],
    [
      'a secret of its own',
      (copy) => (copy.templates['secret.yaml'] = 'kind: Secret\n'),
      /secrets are made by the user/,
    ],
    [
      'a value of the wrong kind',
      (copy) => (copy.values['service'] = { type: 'Cluster' }),
      /values\.yaml\/service\/type/,
    ],
    [
      'a secret among the variables',
      (copy) => Object.assign(copy.values['server'] as object, { env: { SPANDREL_SECRET_KEY: 'x' } }),
      /values\.yaml\/server\/env/,
    ],
    [
      'a secret among the settings',
      (copy) => Object.assign(copy.values['config'] as object, { secret_key: 'x' }),
      /values\.yaml\/config/,
    ],
    [
      "an identity provider's secret among the settings",
      (copy) => Object.assign(copy.values['config'] as object, { auth: { oidc: { client_secret: 'x' } } }),
      /values\.yaml\/config\/auth\/oidc/,
    ],
    [
      'a secret that stands among the further variables',
      (copy) =>
        Object.assign(copy.values['server'] as object, {
          extraEnv: [{ name: 'SPANDREL_SECRET_KEY_PREVIOUS', value: 'x' }],
        }),
      /values\.yaml\/server\/extraEnv\/0/,
    ],
    [
      'a further volume with a name of the chart',
      (copy) => Object.assign(copy.values['gateway'] as object, { extraVolumes: [{ name: 'spool', emptyDir: {} }] }),
      /values\.yaml\/gateway\/extraVolumes\/0\/name/,
    ],
    [
      'an authority in two places',
      (copy) => Object.assign(copy.values['customCa'] as object, { configMap: 'ca', secret: 'ca' }),
      /values\.yaml\/customCa/,
    ],
    [
      'an address of the servers that is none',
      (copy) => Object.assign(copy.values['gateway'] as object, { apiUrl: 'spandrel.example' }),
      /values\.yaml\/gateway\/apiUrl/,
    ],
    [
      'a spool that goes with its pod',
      (copy) =>
        Object.assign((copy.values['gateway'] as { spool: { persistence: object } }).spool.persistence, {
          enabled: false,
        }),
      /gateway\.spool\.persistence is not on by default/,
    ],
    [
      'a spool that is a volume of the pod in any case',
      edit('gateway-workload.yaml', ' (not .Values.gateway.spool.persistence.enabled)', ''),
      /emptyDir does not depend on gateway\.spool\.persistence/,
    ],
    [
      'a gateway without a disk of its own',
      edit('gateway-workload.yaml', 'volumeClaimTemplates', 'volumes'),
      /volumeClaimTemplates does not depend on/,
    ],
    [
      'an autoscaler of something else',
      edit('gateway-autoscaler.yaml', '{{ include "spandrel.gatewayKind" . }}', 'Deployment'),
      /gateway-autoscaler\.yaml: its kind is not spandrel\.gatewayKind/,
    ],
    [
      'a stop that is cut short',
      (copy) => Object.assign(copy.values['server'] as object, { terminationGracePeriodSeconds: 5 }),
      /terminationGracePeriodSeconds/,
    ],
  ])('find %s', (_, change, fault) => {
    expect(changed(change)).toContainEqual(expect.stringMatching(fault));
  });

  it('take what an installation adds', () => {
    const faults = changed((copy) => {
      const { server, gateway, customCa } = copy.values as Record<'server' | 'gateway' | 'customCa', object>;
      const previous = { secretKeyRef: { name: 'spandrel', key: 'previous-secret-key' } };
      Object.assign(server, {
        extraEnv: [
          { name: 'SPANDREL_SECRET_KEY_PREVIOUS', valueFrom: previous },
          { name: 'SPANDREL_EVALS_PAUSED', value: 'true' },
        ],
        extraVolumes: [{ name: 'plugins', configMap: { name: 'spandrel-plugins' } }],
        extraVolumeMounts: [{ name: 'plugins', mountPath: '/plugins', readOnly: true }],
      });
      const secrets = (server as { secrets: object }).secrets;
      Object.assign(secrets, { SPANDREL_OIDC_CLIENT_SECRET: { name: 'spandrel', key: 'oidc-client-secret' } });
      Object.assign(gateway, { apiUrl: 'https://spandrel.example' });
      Object.assign(customCa, { secret: 'spandrel-ca' });
    });
    expect(faults).toEqual([]);
  });

  it('find a variable that the program does not read', () => {
    const text = readFileSync('compose.yaml', 'utf8');
    const known = [{ variable: 'SPANDREL_API_KEY', secret: true }, { variable: 'SPANDREL_API_URL' }];
    expect(variableFaults('x', 'SPANDREL_API_KEY_FILE: a\nSPANDREL_API_URL: b\n', known)).toEqual([]);
    expect(variableFaults('x', 'SPANDREL_API_URL_FILE: b\n', known)).toEqual([
      'x: SPANDREL_API_URL_FILE is no variable of a setting',
    ]);
    expect(variableFaults('compose.yaml', text, known)).toContain(
      'compose.yaml: REDIS_URL is no variable of a setting',
    );
  });
});
