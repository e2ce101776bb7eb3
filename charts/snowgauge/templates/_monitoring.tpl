{{/* Metadata of an object that may be made in another namespace. Takes scope, values and name. */}}
{{- define "snowgauge.monitorMetadata" -}}
{{- $own := pick .values "namespace" "labels" "annotations" -}}
{{- include "snowgauge.metadata" (merge (dict "scope" .scope "name" .name) $own) -}}
{{- end }}

{{/* How Prometheus asks for the page: the fields that an endpoint of each monitor has. */}}
{{- define "snowgauge.endpoint" -}}
{{- $scheme := include "snowgauge.scheme" . -}}
{{- $relabelings := .Values.monitoring.relabelings -}}
{{- if .Values.highAvailability -}}
{{- $replica := dict "sourceLabels" (list "__meta_kubernetes_pod_label_snowgauge_io_replica") "targetLabel" "replica" -}}
{{- $relabelings = prepend $relabelings $replica -}}
{{- end -}}
{{- with .Values.monitoring -}}
path: /metrics
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout }}
honorLabels: true
{{ include "snowgauge.given" (merge (dict "scheme" $scheme "relabelings" $relabelings) (pick . "tlsConfig" "basicAuth" "metricRelabelings")) }}
{{- end -}}
{{- end }}

{{/* Those of the fields that say something. */}}
{{- define "snowgauge.given" -}}
{{- $given := dict -}}
{{- range $field, $value := . }}{{ if $value }}{{ $_ := set $given $field $value }}{{ end }}{{ end -}}
{{- with $given }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/* Injected pods may be in other namespaces than the release. */}}
{{- define "snowgauge.podNamespaces" -}}
{{- if and .Values.injection.enabled .Values.injection.namespaceSelector -}}
{ any: true }
{{- else -}}
{ matchNames: [{{ include "snowgauge.namespace" . | quote }}] }
{{- end -}}
{{- end }}

{{/*
The rules, out of files/rules.json, which `npm run docs` writes from the same table as deploy/prometheus. In it <NAME> stands
where a setting goes.
*/}}
{{- define "snowgauge.ruleGroups" -}}
{{- $values := .Values.prometheusRule -}}
{{- $file := .Files.Get "files/rules.json" | fromJson -}}
{{- $settings := dict -}}
{{- range $name, $preset := $file.settings -}}
{{- /* Not `merge`, for which 0 and "" are as good as not given. */ -}}
{{- $_ := set $settings $name (hasKey $values.settings $name | ternary (get $values.settings $name) $preset) -}}
{{- end -}}
{{- range $name, $label := $file.counts -}}
{{- $vector := printf "label_replace(vector(${2}), \"%s\", \"${1}\", \"\", \"\")" $label -}}
{{- $_ := set $settings $name (regexReplaceAll "([\\w./:-]+)=([0-9]+)" (regexReplaceAll ", *" (get $settings $name) " or ") $vector) -}}
{{- end -}}
{{- range $name := $file.queriedLabels -}}
{{- $labels := get $settings $name -}}
{{- $_ := set $settings (print $name "Matchers") (print (regexReplaceAllLiteral ", *" $labels "=%q,") "=%q") -}}
{{- $_ := set $settings (print $name "Values") (print "$labels." (regexReplaceAllLiteral ", *" $labels " $labels.")) -}}
{{- end -}}
{{- range $name := $file.seconds.settings -}}
{{- $text := toString (get $settings $name) -}}
{{- /* A number may be written as 1.2e+06. */ -}}
{{- if regexMatch "[0-9][ywdhms]" $text -}}
{{- $sum := 0 -}}
{{- range $part := regexFindAll "[0-9]+[a-z]" $text -1 -}}
{{- $unit := get $file.seconds.of (regexFind "[a-z]" $part) -}}
{{- $sum = add $sum (mul (regexFind "[0-9]+" $part | atoi) $unit) -}}
{{- end -}}
{{- $_ := set $settings $name $sum -}}
{{- end -}}
{{- end -}}
{{- $groups := $file.groups -}}
{{- if $values.nodeMetrics -}}
{{- $groups = concat $groups $file.nodeMetrics -}}
{{- end -}}
{{- range $group := $groups }}
{{- $rules := list }}
{{- range $rule := $group.rules }}
{{- if not (has (get $rule "alert") $values.without) }}
{{- $text := toRawJson $rule }}
{{- range $name, $value := $settings }}
{{- if eq (toString $value) "" }}
{{- /* No matcher: its comma and its braces go with it. */}}
{{- $text = $text | replace (printf "<%s>, " $name) "" | replace (printf ", <%s>" $name) "" | replace (printf "{<%s>}" $name) "" }}
{{- end }}
{{- /* Within JSON's quotes: a setting's own are escaped as JSON escapes them. */}}
{{- $text = replace (printf "<%s>" $name) (toString $value | toRawJson | trimPrefix "\"" | trimSuffix "\"") $text }}
{{- end }}
{{- $one := fromJson $text }}
{{- if $one.alert }}
{{- $_ := set $one "labels" (merge (deepCopy $values.alertLabels) $one.labels) }}
{{- if eq (toString $settings.grafana) "" }}
{{- $_ := set $one "annotations" (omit $one.annotations "dashboard_url") }}
{{- end }}
{{- end }}
{{- $rules = append $rules $one }}
{{- end }}
{{- end }}
{{- if $rules }}
- name: {{ $group.name }}
  {{- with $group.interval }}
  interval: {{ . }}
  {{- end }}
  rules:
    {{- toYaml $rules | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}
