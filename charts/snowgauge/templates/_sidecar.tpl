{{/*
The container, and the templates for charts that add snowgauge to their own pods. These take the scope of this chart:
`include "snowgauge.sidecar" .Subcharts.snowgauge`.
*/}}

{{/* The sidecar as an item of containers, or of initContainers if it is native. */}}
{{- define "snowgauge.sidecar" -}}
{{- include "snowgauge.validate" . -}}
{{- include "snowgauge.container" (dict "scope" . "sidecar" true) -}}
{{- end }}

{{/* For initContainers: the sidecar if it is native, else empty. */}}
{{- define "snowgauge.initContainers" -}}
{{- if include "snowgauge.native" . }}{{ include "snowgauge.sidecar" . }}{{ end -}}
{{- end }}

{{/*
For containers, after the node: the sidecar if it is not native, else empty. The kubelet starts containers in their order, and pulls the
image of each before the next one.
*/}}
{{- define "snowgauge.containers" -}}
{{- if not (include "snowgauge.native" .) }}{{ include "snowgauge.sidecar" . }}{{ end -}}
{{- end }}

{{/* Labels that the pod needs, because the monitors and the Service select it by them. */}}
{{- define "snowgauge.podLabels" -}}
snowgauge.io/sidecar: {{ include "snowgauge.fullname" . | quote }}
{{- end }}

{{/* Ports for a Service of the parent chart: it may name a port of the sidecar. */}}
{{- define "snowgauge.ports" -}}
- name: snowgauge
  port: {{ include "snowgauge.port" . }}
  targetPort: snowgauge
{{- end }}

{{/* Items of the pod's list volumes. */}}
{{- define "snowgauge.volumes" -}}
# Optional: if a volume cannot be mounted, no container of the pod starts. snowgauge says what is missing.
- name: snowgauge-config
  {{- if eq .Values.configObject.kind "Secret" }}
  secret:
    secretName: {{ include "snowgauge.configName" . | quote }}
    optional: true
    items: [{ key: {{ .Values.configObject.key | quote }}, path: snowgauge.yaml }]
  {{- else }}
  configMap:
    name: {{ include "snowgauge.configName" . | quote }}
    optional: true
    items: [{ key: {{ .Values.configObject.key | quote }}, path: snowgauge.yaml }]
  {{- end }}
{{- if .Values.config.stateDir }}
- name: snowgauge-state
  {{- /* Helm merges the user's volume with the default emptyDir. */}}
  {{- $other := omit .Values.stateVolume "emptyDir" }}
  {{- $other | default .Values.stateVolume | toYaml | nindent 2 }}
{{- end }}
{{- if ne .Values.mode "fleet" }}
# For maintenance windows by annotation of the pod, without access to the API server.
- name: snowgauge-pod
  downwardAPI:
    items:
      - { path: maintenance-until, fieldRef: { fieldPath: "metadata.annotations['snowgauge.io/maintenance-until']" } }
      - { path: maintenance-reason, fieldRef: { fieldPath: "metadata.annotations['snowgauge.io/maintenance-reason']" } }
{{- end }}
{{- if include "snowgauge.needsToken" . }}
# Instead of automountServiceAccountToken, which would mount the token into the node's container too.
- name: snowgauge-token
  projected:
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: 3607 }
      - configMap: { name: kube-root-ca.crt, optional: true, items: [{ key: ca.crt, path: ca.crt }] }
      - downwardAPI: { items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }] }
{{- end }}
{{- if include "snowgauge.hasWebConfig" . }}
- name: snowgauge-web
  projected:
    sources:
      {{- with .Values.webConfig.existingSecret }}
      - secret: { name: {{ . | quote }}, optional: true }
      {{- end }}
      {{- if .Values.webConfig.config }}
      - secret: { name: {{ include "snowgauge.fullname" . }}-web, optional: true }
      {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Probes of the node's container: readiness from the sidecar, startup and liveness only if they are enabled. */}}
{{- define "snowgauge.probes" -}}
{{- include "snowgauge.nodeProbes" . | trim -}}
{{- end }}

{{- define "snowgauge.nodeProbes" -}}
{{- $port := include "snowgauge.probesPort" . -}}
{{- $target := include "snowgauge.targetPath" . -}}
{{- with .Values.nodeProbes.startup }}
{{- if .enabled }}
startupProbe:
  {{- include "snowgauge.nodeProbe" (dict "scope" $ "probe" . "path" (print $target "/startupz")) | nindent 2 }}
{{- end }}
{{- end }}
{{- with .Values.nodeProbes.readiness }}
{{- if .enabled }}
readinessProbe:
  httpGet: { port: {{ $port }}, path: {{ $target }}/readyz{{ with .tagSet }}/{{ . }}{{ end }} }
  {{- omit . "enabled" "tagSet" | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- with .Values.nodeProbes.liveness }}
{{- if .enabled }}
livenessProbe:
  {{- include "snowgauge.nodeProbe" (dict "scope" $ "probe" . "path" (print $target "/livez")) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* A startup or liveness probe of the node itself, or of snowgauge at the path. Takes scope, probe and path. */}}
{{- define "snowgauge.nodeProbe" -}}
{{- $values := .scope.Values -}}
{{- if eq .probe.source "snowgauge" -}}
httpGet: { port: {{ include "snowgauge.probesPort" .scope }}, path: {{ .path }} }
{{- else -}}
httpGet: { port: {{ include "snowgauge.nodeProbePort" .scope }}, path: /ext/health/liveness, scheme: {{ $values.nodeProbes.node.scheme | default "HTTP" }} }
{{- end }}
{{ omit .probe "enabled" "source" | toYaml }}
{{- end }}

{{/*
The container. A sidecar has only a liveness probe: if it were not ready, its pod would not be ready although the node is, and a native
one that has not started delays the node.
*/}}
{{- define "snowgauge.container" -}}
{{- $sidecar := .sidecar -}}
{{- $args := .args | default (list "run" "--stay" "--config=/etc/snowgauge/snowgauge.yaml") -}}
{{- with .scope -}}
{{- if include "snowgauge.hasWebConfig" . -}}
{{- $args = append $args (print "--web.config.file=/etc/snowgauge-web/" .Values.webConfig.key) -}}
{{- end -}}
- name: snowgauge
  image: {{ include "snowgauge.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- if and $sidecar (include "snowgauge.native" .) }}
  restartPolicy: Always
  {{- end }}
  {{- with include "snowgauge.command" . }}
  command: {{ . }}
  {{- end }}
  # With an invalid configuration it does not exit: it serves the errors, is not ready, and starts once the file is valid (run --stay).
  args: {{ $args | toJson }}
  {{- with include "snowgauge.env" . | trim }}
  env:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .Values.extraEnvFrom }}
  envFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    - { name: snowgauge, containerPort: {{ include "snowgauge.port" . }}, protocol: TCP }
    - { name: snowgauge-probe, containerPort: {{ include "snowgauge.probesPort" . }}, protocol: TCP }
  {{- $probes := ternary (list "liveness") (list "startup" "liveness" "readiness") $sidecar }}
  {{- range $name := $probes }}
  {{- with get $.scope.Values.probes $name }}
  {{ $name }}Probe:
    httpGet: { path: {{ eq $name "readiness" | ternary "/readyz" "/livez" }}, port: snowgauge-probe }
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  resources:
    {{- include "snowgauge.resources" . | nindent 4 }}
  securityContext:
    {{- toYaml .Values.securityContext | nindent 4 }}
  volumeMounts:
    # A directory, not a file with subPath, which would never be updated.
    - { name: snowgauge-config, mountPath: /etc/snowgauge, readOnly: true }
    {{- with .Values.config.stateDir }}
    - { name: snowgauge-state, mountPath: {{ . | quote }} }
    {{- end }}
    {{- if ne .Values.mode "fleet" }}
    - { name: snowgauge-pod, mountPath: {{ (.Values.config.kubernetes | default dict).podInfoDir | default "/etc/snowgauge-pod" }}, readOnly: true }
    {{- end }}
    {{- if include "snowgauge.needsToken" . }}
    - { name: snowgauge-token, mountPath: {{ (.Values.config.kubernetes | default dict).serviceAccountDir | default "/var/run/secrets/kubernetes.io/serviceaccount" }}, readOnly: true }
    {{- end }}
    {{- if include "snowgauge.hasWebConfig" . }}
    - { name: snowgauge-web, mountPath: /etc/snowgauge-web, readOnly: true }
    {{- end }}
    {{- with .Values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}

{{/* If the chart does not see the configuration, or if there is none in another namespace, the environment sets the ports. */}}
{{- define "snowgauge.env" -}}
{{- $isUnseen := or .Values.configObject.existing .Values.injection.namespaceSelector }}
{{- if $isUnseen }}
{{- with (.Values.config.listen | default dict).host }}
- { name: SNOWGAUGE_LISTEN_HOST, value: {{ . | quote }} }
{{- end }}
- { name: SNOWGAUGE_LISTEN_PORT, value: {{ include "snowgauge.port" . | quote }} }
{{- with .Values.config.stateDir }}
- { name: SNOWGAUGE_STATE_DIR, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if include "snowgauge.keepsPodLabels" . }}
{{- if .Values.configObject.existing }}
- { name: SNOWGAUGE_POD_LABELS_ENABLED, value: "true" }
{{- end }}
- { name: SNOWGAUGE_POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
{{- end }}
{{- if eq .Values.mode "fleet" }}
# The ordinal of the pod is its shard; the replicas of the StatefulSet are the number of shards.
- { name: SNOWGAUGE_POD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
{{- end }}
{{- if include "snowgauge.needsToken" . }}
- { name: SNOWGAUGE_POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
{{- end }}
{{- if or $isUnseen (not (.Values.config.probes | default dict).port) }}
- { name: SNOWGAUGE_PROBES_PORT, value: {{ include "snowgauge.probesPort" . | quote }} }
{{- end }}
- { name: SNOWGAUGE_OWN_HOSTS, value: {{ include "snowgauge.ownHosts" . | quote }} }
{{- with include "snowgauge.heapMiB" . }}
- { name: NODE_OPTIONS, value: "--max-old-space-size={{ . }}" }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
