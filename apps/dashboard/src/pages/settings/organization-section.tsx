import type { OrganizationResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/page-parts.js';
import { TextField } from '../../components/field.js';
import { notify, notifyError } from '../../components/notify.js';
import { BROWSER_SESSION } from '../../features/browser-session.js';
import { Row, Section } from './section.js';
import styles from './settings-page.module.css';

const KEY = ['organization'];

/** The organization: its name can be changed, its plan, limit and retention are the operator's. */
export function OrganizationSection() {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await api.listOrganizations({ signal })).orgs[0] ?? null,
  });
  return (
    <Section title="Organization">
      {error && <FaultNotice title="The organization could not be read" error={error} onRetry={() => void refetch()} />}
      {data && <Organization key={data.id} organization={data} />}
    </Section>
  );
}

function Organization({ organization }: { organization: OrganizationResource }) {
  const client = useQueryClient();
  const renaming = useMutation({
    mutationFn: (name: string) => api.updateOrganization({ path: { id: organization.id }, body: { name } }),
    onSuccess: (changed) => {
      client.setQueryData(KEY, changed);
      void client.invalidateQueries({ queryKey: BROWSER_SESSION.queryKey });
      notify('Organization renamed');
    },
    onError: (error) => notifyError('The organization could not be renamed', error),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    renaming.mutate(String(new FormData(event.currentTarget).get('name')));
  };
  return (
    <>
      <form className={styles.inline} onSubmit={submit}>
        <TextField label="Name" name="name" required defaultValue={organization.name} />
        <Button type="submit" disabled={renaming.isPending}>
          Rename
        </Button>
      </form>
      <Row name="ID">{organization.id}</Row>
      <Row name="Plan">{organization.plan}</Row>
      <Row name="Retention">{describeRetention(organization)}</Row>
      <Row name="Requests per second">{formatCount(organization.rate_limit)}</Row>
    </>
  );
}

const describeRetention = ({ retention_days: days, retention_by: by }: OrganizationResource): string => {
  const long = days === null ? 'Forever' : formatCounted(days, 'day');
  return by === 'plan' ? `${long}, by the plan` : `${long}, set by the operator`;
};
