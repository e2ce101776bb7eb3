{{/* The web configuration: where it is, and the parts of it that other objects need. */}}

{{- define "snowgauge.hasWebConfig" -}}
{{- if or .Values.webConfig.config .Values.webConfig.existingSecret -}}
true
{{- end -}}
{{- end }}

{{/* Its tls_server_config as YAML; empty if the chart does not know it. */}}
{{- define "snowgauge.webTls" -}}
{{- with (.Values.webConfig.config | default dict).tls_server_config }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/* http or https, for clients of /metrics. */}}
{{- define "snowgauge.scheme" -}}
{{- if .Values.monitoring.scheme -}}
{{- .Values.monitoring.scheme -}}
{{- else -}}
{{- or .Values.monitoring.tlsConfig (include "snowgauge.webTls" .) | empty | ternary "http" "https" -}}
{{- end -}}
{{- end }}

{{/* Errors in it, as a JSON list. */}}
{{- define "snowgauge.webErrors" -}}
{{- $errors := list -}}
{{- $web := .Values.webConfig -}}
{{- $tls := include "snowgauge.webTls" . | fromYaml -}}
{{- $monitoring := .Values.monitoring -}}
{{- range $name := list "cert_file" "key_file" "client_ca_file" -}}
{{- $file := get $tls $name -}}
{{- if and $file (not (hasPrefix "/" $file)) (not $web.existingSecret) -}}
{{- $errors = append $errors (printf "webConfig.config.tls_server_config.%s: %s is not next to the file: set webConfig.existingSecret to the Secret that contains it, or write a path of extraVolumeMounts" $name $file) -}}
{{- end -}}
{{- end -}}
{{- if and $tls (eq $monitoring.scheme "http") -}}
{{- $errors = append $errors "monitoring.scheme: webConfig.config has tls_server_config, so Prometheus must use https: leave it empty" -}}
{{- end -}}
{{- if and $monitoring.tlsConfig (eq $monitoring.scheme "http") -}}
{{- $errors = append $errors "monitoring.tlsConfig: not with monitoring.scheme: http: leave the scheme empty" -}}
{{- end -}}
{{- if or $monitoring.kind .Values.probe.targets -}}
{{- if and ($web.config | default dict).basic_auth_users (not $monitoring.basicAuth) -}}
{{- $errors = append $errors "monitoring.basicAuth: webConfig.config has basic_auth_users, and Prometheus would get 401: name a Secret with user and password" -}}
{{- end -}}
{{- if and (eq (toString $tls.client_auth_type) "RequireAndVerifyClientCert") (not $monitoring.tlsConfig.cert) -}}
{{- $errors = append $errors "monitoring.tlsConfig.cert: webConfig.config requires client certificates: name a Secret with one for Prometheus, in cert and keySecret" -}}
{{- end -}}
{{- end -}}
{{- if and (include "snowgauge.hasWebConfig" .) .Values.injection.namespaceSelector -}}
{{- $errors = append $errors "webConfig: not with injection.namespaceSelector: its Secret is only in the release's namespace" -}}
{{- end -}}
{{- if and (include "snowgauge.hasWebConfig" .) (has "SNOWGAUGE_WEB_CONFIG_FILE" (include "snowgauge.extraEnvNames" . | fromJsonArray)) -}}
{{- $errors = append $errors "extraEnv: SNOWGAUGE_WEB_CONFIG_FILE and webConfig both name a web configuration: keep one of the two" -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}
