{{/*
Names, labels, metadata and the image. All templates take the scope of this chart: `.`, or `.Subcharts.snowgauge` in a chart that depends on
this one.
*/}}

{{/* The version of snowgauge. Not from .Chart, which is the parent chart if that includes a template. */}}
{{- define "snowgauge.version" -}}
0.1.0
{{- end }}

{{- define "snowgauge.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/*
At most 52 characters, so that it fits into 63 with a suffix (-config, -validator, a pod's number). It is the name of a Service, so it
begins with a letter and has no dots, whatever the name of the release is.
*/}}
{{- define "snowgauge.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- $full := contains $name $release | ternary $release (printf "%s-%s" $release $name) -}}
{{- if not (regexMatch "^[a-z]" $full) -}}
{{- $full = printf "%s-%s" $name $release -}}
{{- end -}}
{{- .Values.fullnameOverride | default $full | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{/* Name of a Service for a tag set. Takes scope, and service: an entry of tagSetServices. */}}
{{- define "snowgauge.tagSetService" -}}
{{- .service.name | default (printf "%s-%s" (include "snowgauge.fullname" .scope) .service.tagSet) -}}
{{- end }}

{{- define "snowgauge.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end }}

{{- define "snowgauge.selectorLabels" -}}
app.kubernetes.io/name: {{ include "snowgauge.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/*
Metadata of an object. Takes scope and name; optional: component, labels, annotations, and namespace or clusterWide. Labels of the object
override commonLabels.
*/}}
{{- define "snowgauge.metadata" -}}
{{- $version := include "snowgauge.version" .scope -}}
{{- $labels := dict "helm.sh/chart" (printf "snowgauge-%s" $version) "app.kubernetes.io/version" $version -}}
{{- $_ := set $labels "app.kubernetes.io/part-of" "snowgauge" -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .scope.Release.Service -}}
{{- $selector := include "snowgauge.selectorLabels" .scope | fromYaml -}}
{{- with .component }}{{ $_ := set $selector "app.kubernetes.io/component" . }}{{ end -}}
{{- $metadata := dict "name" .name "labels" (mergeOverwrite $labels .scope.Values.commonLabels (.labels | default dict) $selector) -}}
{{- if not .clusterWide }}{{ $_ := set $metadata "namespace" (.namespace | default (include "snowgauge.namespace" .scope)) }}{{ end -}}
{{- with .annotations }}{{ $_ := set $metadata "annotations" . }}{{ end -}}
{{- toYaml $metadata -}}
{{- end }}

{{/* The labels of all pods with snowgauge in them. */}}
{{- define "snowgauge.podSelector" -}}
{{- if ne .Values.mode "sidecar" -}}
{{ include "snowgauge.selectorLabels" . }}
app.kubernetes.io/component: {{ eq .Values.mode "demo" | ternary "node" .Values.mode }}
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
{{- $names := list -}}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) .Values.imagePullSecrets -}}
{{- $names = append $names (kindIs "map" . | ternary . (dict "name" .)).name -}}
{{- end -}}
{{- /* A server-side apply rejects duplicates. */}}
{{- with uniq $names }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
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

{{/* True if the chart creates a service account: in a fleet, for labels on the pod, or if a value requests it. */}}
{{- define "snowgauge.createsServiceAccount" -}}
{{- if and (ne .Values.mode "sidecar") (or .Values.serviceAccount.create (and (include "snowgauge.needsToken" .) (not .Values.serviceAccount.name))) -}}
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
