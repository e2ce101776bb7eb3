{{/* Metadata of an object that may be in another namespace. Takes scope, values and name. */}}
{{- define "snowgauge.monitorMetadata" -}}
{{- $own := pick .values "namespace" "labels" "annotations" -}}
{{- include "snowgauge.metadata" (merge (dict "scope" .scope "name" .name) $own) -}}
{{- end }}

{{/* The fields of an endpoint in each kind of monitor. */}}
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

{{/* The fields that are not empty. */}}
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
The rules, from files/rules.json, which `npm run docs` writes from the same table as deploy/prometheus. <NAME> is the placeholder of a
setting.
*/}}
{{- define "snowgauge.ruleGroups" -}}
{{- $values := .Values.prometheusRule -}}
{{- $file := .Files.Get "files/rules.json" | fromJson -}}
{{- $settings := dict -}}
{{- range $name, $preset := $file.settings -}}
{{- /* Not `merge`, which treats 0 and "" as missing. */ -}}
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
{{- /* Without a matcher, remove its comma or braces, too. */}}
{{- $text = $text | replace (printf "<%s>, " $name) "" | replace (printf ", <%s>" $name) "" | replace (printf "{<%s>}" $name) "" }}
{{- end }}
{{- /* Inside of JSON strings, so the value is escaped for JSON. */}}
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
