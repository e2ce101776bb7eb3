{{/* The common parts of the pods in the modes demo and fleet: everything except containers and volumes. Takes scope, and the set of a fleet. */}}
{{- define "snowgauge.podMetadata" -}}
{{- $set := .set | default dict -}}
{{- with .scope -}}
labels:
  # Without the version labels of other objects: a new version alone does not restart the pods.
  {{- mergeOverwrite (deepCopy .Values.commonLabels) .Values.podLabels (include "snowgauge.setSelector" (dict "scope" . "set" $set) | fromYaml) | toYaml | nindent 2 }}
{{- $annotations := deepCopy .Values.podAnnotations }}
{{- if and (eq .Values.mode "demo") .Values.node.scenario }}
{{- $_ := set $annotations "checksum/scenario" (.Values.node.scenario | toYaml | sha256sum) }}
{{- end }}
{{- /* The settings that need a restart. All others are reloaded. */}}
{{- $start := pick .Values.config "listen" "probes" "stateDir" "kubernetes" }}
{{- with include "snowgauge.webTls" . | fromYaml }}
{{- $_ := set $start "tls" (.client_auth_type | default "NoClientCert") }}
{{- end }}
{{- with $start }}
{{- $_ := set $annotations "checksum/start" (. | toYaml | sha256sum) }}
{{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "snowgauge.podSpec" -}}
serviceAccountName: {{ include "snowgauge.serviceAccountName" . | quote }}
# If a token is needed, only snowgauge's container has it.
automountServiceAccountToken: false
# Otherwise Kubernetes sets SNOWGAUGE_PORT and others for the Service.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- include "snowgauge.imagePullSecrets" . }}
{{- with include "snowgauge.given" (pick .Values "priorityClassName" "runtimeClassName" "nodeSelector" "affinity" "tolerations" "hostNetwork" "hostAliases" "dnsConfig") }}
{{ . }}
{{- end }}
{{- if and (eq .Values.mode "fleet") .Values.highAvailability (not .Values.affinity) (not .Values.topologySpreadConstraints) }}
# If both replicas of a shard are on one host, its failure stops both.
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "snowgauge.podSelector" . | nindent 14 }}
{{- end }}
{{- /* In the host's network, a pod can only resolve Service names with this policy. */}}
{{- with .Values.dnsPolicy | default (ternary "ClusterFirstWithHostNet" "" .Values.hostNetwork) }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  {{- $own := dict "matchLabels" (include "snowgauge.podSelector" $ | fromYaml) }}
  - {{ set (deepCopy .) "labelSelector" (.labelSelector | default $own) | toYaml | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end }}
