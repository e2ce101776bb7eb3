{{/*
Errors in the regular expressions that only Prometheus compiles, as a JSON list. Those of `config` are compiled by snowgauge when it loads
its configuration.
*/}}
{{- define "snowgauge.regexErrors" -}}
{{- $errors := list -}}
{{- $found := list -}}
{{- $relabelings := dict "monitoring.relabelings" .Values.monitoring.relabelings "monitoring.metricRelabelings" .Values.monitoring.metricRelabelings "probe.metricRelabelings" .Values.probe.metricRelabelings -}}
{{- range $name, $list := $relabelings -}}
{{- range $at, $one := $list -}}
{{- with $one.regex -}}
{{- $found = append $found (dict "name" (printf "%s[%d].regex" $name $at) "regex" . "compiled" (printf "^(?s:%s)$" .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.prometheusRule.enabled -}}
{{- $kinds := (.Files.Get "files/rules.json" | fromJson).regexes -}}
{{- range $setting, $text := .Values.prometheusRule.settings -}}
{{- $regexes := list -}}
{{- if has $setting $kinds.settings -}}
{{- $regexes = list $text -}}
{{- else if has $setting $kinds.matchers -}}
{{- range regexFindAll "\\w+(=~|!~|!=|=)\"([^\"\\\\]|\\\\.)*\"" $text -1 -}}
{{- if regexMatch "^\\w+[=!]~" . -}}
{{- /* PromQL's strings have the escapes of YAML, except for octal ones: those are not read. */ -}}
{{- $regexes = append $regexes (get (regexReplaceAll "^\\w+.~" . "regex: " | fromYaml) "regex") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $regexes -}}
{{- $found = append $found (dict "name" (print "prometheusRule.settings." $setting) "regex" . "compiled" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $found -}}
{{- /* An expression that does not compile matches nothing; any other one matches the empty text, which is its first alternative. */ -}}
{{- if not (regexMatch (print "|" .compiled) "") -}}
{{- $errors = append $errors (printf "%s: %q is not an RE2 expression, and Prometheus would reject it: write a special character in brackets, such as [(]" .name .regex) -}}
{{- end -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}
