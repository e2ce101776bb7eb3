{{/*
Names, labels and the image. Every template of these files takes the chart's own scope: `.`, or `.Subcharts.snowgauge` of a chart
that depends on this one.
*/}}

{{/* The version of snowgauge, written out: where another chart includes a template, .Chart is that chart. */}}
{{- define "snowgauge.version" -}}
0.1.0
{{- end }}

{{- define "snowgauge.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/* At most 52 characters, so that what is put behind it (-config, -validator, a pod's number) fits into 63. */}}
{{- define "snowgauge.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "snowgauge.selectorLabels" -}}
app.kubernetes.io/name: {{ include "snowgauge.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "snowgauge.labels" -}}
helm.sh/chart: {{ printf "snowgauge-%s" (include "snowgauge.version" .) }}
{{ include "snowgauge.selectorLabels" . }}
app.kubernetes.io/version: {{ include "snowgauge.version" . | quote }}
app.kubernetes.io/part-of: snowgauge
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The labels that the pods with snowgauge in them have, whoever made them. */}}
{{- define "snowgauge.podSelector" -}}
{{- if ne .Values.mode "sidecar" -}}
{{ include "snowgauge.selectorLabels" . }}
app.kubernetes.io/component: {{ .Values.mode }}
{{- else if .Values.sidecar.podSelector -}}
{{ toYaml .Values.sidecar.podSelector }}
{{- else -}}
{{ include "snowgauge.podLabels" . }}
{{- end -}}
{{- end }}

{{- define "snowgauge.image" -}}
{{- $image := .Values.image -}}
{{- $registry := (.Values.global | default dict).imageRegistry | default $image.registry -}}
{{- with $registry }}{{ . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default (include "snowgauge.version" .) }}{{ end -}}
{{- end }}

{{- define "snowgauge.imagePullSecrets" -}}
{{- with concat ((.Values.global | default dict).imagePullSecrets | default list) .Values.imagePullSecrets | uniq }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "map" . }}{{ .name }}{{ else }}{{ . }}{{ end }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "snowgauge.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if include "snowgauge.createsServiceAccount" . -}}
{{- include "snowgauge.fullname" . -}}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/* One of our own only where something needs it: the labels on the own pod, or somebody who asks for it. */}}
{{- define "snowgauge.createsServiceAccount" -}}
{{- if and (ne .Values.mode "sidecar") (or .Values.serviceAccount.create (and (include "snowgauge.keepsPodLabels" .) (not .Values.serviceAccount.name))) -}}
true
{{- end -}}
{{- end }}

{{/* Native sidecars are on by default since 1.29. */}}
{{- define "snowgauge.native" -}}
{{- if kindIs "bool" .Values.sidecar.native -}}
{{- if .Values.sidecar.native }}true{{ end -}}
{{- else if semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version -}}
true
{{- end -}}
{{- end }}
