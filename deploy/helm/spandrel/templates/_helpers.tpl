{{/* The name of everything that belongs to the release. */}}
{{- define "spandrel.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What gateways are: those with a disk of their own are pods of a StatefulSet. */}}
{{- define "spandrel.gatewayKind" -}}
{{- if and .Values.gateway.spool.enabled .Values.gateway.spool.persistence.enabled -}}
StatefulSet
{{- else -}}
Deployment
{{- end -}}
{{- end -}}

{{/* What selects the pods of a component. Given: root, component. */}}
{{- define "spandrel.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of an object of a component. Given: root, component. */}}
{{- define "spandrel.labels" -}}
{{ include "spandrel.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Labels of what both components share. */}}
{{- define "spandrel.sharedLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Variables from Secrets and values. Given: root, values of the component. */}}
{{- define "spandrel.env" -}}
{{- range $name, $ref := .values.secrets }}
{{- if $ref }}
- name: {{ $name | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ $ref.name }}
      key: {{ $ref.key }}
{{- end }}
{{- end }}
{{- range $name, $value := .values.env }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- if or .root.Values.customCa.configMap .root.Values.customCa.secret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/spandrel-ca/{{ .root.Values.customCa.key }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Mounts of a component's own, behind those of the chart. Given: root, values of the component. */}}
{{- define "spandrel.extraMounts" -}}
{{- if or .root.Values.customCa.configMap .root.Values.customCa.secret }}
- name: custom-ca
  mountPath: /etc/spandrel-ca
  readOnly: true
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Their volumes. Given: root, values of the component. */}}
{{- define "spandrel.extraVolumes" -}}
{{- if .root.Values.customCa.configMap }}
- name: custom-ca
  configMap:
    name: {{ .root.Values.customCa.configMap }}
    items:
      - key: {{ .root.Values.customCa.key }}
        path: {{ .root.Values.customCa.key }}
{{- else if .root.Values.customCa.secret }}
- name: custom-ca
  secret:
    secretName: {{ .root.Values.customCa.secret }}
    items:
      - key: {{ .root.Values.customCa.key }}
        path: {{ .root.Values.customCa.key }}
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where pods run. Given: root, component, values of the component. */}}
{{- define "spandrel.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "spandrel.selector" . | nindent 8 }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What the restricted Pod Security Standard asks of a pod. */}}
{{- define "spandrel.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* And of a container. */}}
{{- define "spandrel.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Rules that server and gateway share: names are looked up, providers called. */}}
{{- define "spandrel.commonEgress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- to:
    - ipBlock:
        cidr: {{ .Values.networkPolicy.https.cidr }}
        except:
          {{- toYaml .Values.networkPolicy.https.except | nindent 10 }}
  ports:
    - { port: {{ .Values.networkPolicy.https.port }}, protocol: TCP }
{{- with .Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Who may call, besides the gateway. */}}
{{- define "spandrel.callers" -}}
{{- if .Values.networkPolicy.ingressFrom }}
{{- toYaml .Values.networkPolicy.ingressFrom }}
{{- else -}}
- podSelector: {}
{{- end }}
{{- end -}}
