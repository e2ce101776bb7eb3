{{/* Errors in values that Kubernetes would reject, or that the chart cannot read, as a JSON list. */}}
{{- define "snowgauge.objectErrors" -}}
{{- $errors := list -}}
{{- $opensPorts := and (eq .Values.mode "fleet") .Values.networkPolicy.enabled (not .Values.networkPolicy.nodes.ports) -}}
{{- if and $opensPorts .Values.configObject.existing -}}
{{- $errors = append $errors "networkPolicy.nodes.ports: list the ports of the nodes: the chart does not read those in configObject.existing" -}}
{{- end -}}
{{- range .Values.config.targets -}}
{{- if hasPrefix "${" .url -}}
{{- $errors = append $errors (printf "config.targets: the url of %s begins with a variable, and the chart must know its scheme: write it as http://${NODE_HOST}:9650, or the whole configuration in configObject.existing" .name) -}}
{{- /* Not shown, because it may contain a password. */ -}}
{{- else if not (regexMatch "^https?://[^@?#\\s]+$" .url) -}}
{{- $errors = append $errors (printf "config.targets: the url of %s is not an http:// or https:// URL without user, query and fragment: write http://HOST:PORT, and set credentials in authorization" .name) -}}
{{- else if include "snowgauge.apiPathFault" .url -}}
{{- $errors = append $errors (printf "config.targets: the url of %s %s" .name (include "snowgauge.apiPathFault" .url)) -}}
{{- else if and $opensPorts (include "snowgauge.hasVariablePort" .url) -}}
{{- $errors = append $errors (printf "networkPolicy.nodes.ports: list the ports of the nodes: the url of %s has a variable where its port would be" .name) -}}
{{- end -}}
{{- end -}}
{{- range $at, $source := (.Values.config.discovery | default dict).http -}}
{{- if and $opensPorts (include "snowgauge.hasVariablePort" .url) -}}
{{- $errors = append $errors (printf "networkPolicy.nodes.ports: list the ports of the nodes and of config.discovery.http: the url of config.discovery.http[%d] has a variable where its port would be" $at) -}}
{{- end -}}
{{- end -}}
{{- range $at, $target := .Values.probe.targets -}}
{{- with include "snowgauge.apiPathFault" $target -}}
{{- $errors = append $errors (printf "probe.targets[%d]: %s" $at .) -}}
{{- end -}}
{{- end -}}
{{- $fullname := include "snowgauge.fullname" . -}}
{{- $services := .Values.service.enabled | ternary (list $fullname) list -}}
{{- $services = eq .Values.mode "demo" | ternary (append $services (print $fullname "-node")) $services -}}
{{- range .Values.tagSetServices -}}
{{- $name := include "snowgauge.tagSetService" (dict "scope" $ "service" .) -}}
{{- if gt (len $name) 63 -}}
{{- $errors = append $errors (printf "tagSetServices: the Service of tag set %s would be named %s, and a name has at most 63 characters: set its name" .tagSet $name) -}}
{{- else if has $name $services -}}
{{- $errors = append $errors (printf "tagSetServices: two Services are named %s: set the name of one" $name) -}}
{{- end -}}
{{- $services = append $services $name -}}
{{- end -}}
{{- $places := dict "snowgauge-config" "the configuration" "snowgauge-web" "the web configuration" "snowgauge-pod" "config.kubernetes.podInfoDir" "snowgauge-token" "config.kubernetes.serviceAccountDir" "snowgauge-state" "config.stateDir" -}}
{{- $mounted := dict -}}
{{- $container := include "snowgauge.container" (dict "scope" . "sidecar" true) | fromYamlArray | first -}}
{{- range $container.volumeMounts -}}
{{- $place := get $places .name | default "extraVolumeMounts" -}}
{{- $path := clean .mountPath -}}
{{- with get $mounted $path -}}
{{- $errors = append $errors (printf "%s and %s: both are mounted at %s: use another directory for one" . $place $path) -}}
{{- end -}}
{{- $_ := set $mounted $path $place -}}
{{- end -}}
{{- if and (not .Values.config.stateDir) (ne (toJson .Values.stateVolume) `{"emptyDir":{"sizeLimit":"64Mi"}}`) -}}
{{- $errors = append $errors "stateVolume: needs config.stateDir, the directory where it is mounted, such as /state" -}}
{{- end -}}
{{- $variables := list -}}
{{- range $container.env -}}
{{- if has .name $variables -}}
{{- $errors = append $errors (printf "extraEnv: %s is a duplicate" .name) -}}
{{- end -}}
{{- $variables = append $variables .name -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}

{{/* Error of a URL that contains a path of the node's API; otherwise empty. Takes a URL, or host:port. As nodeUrlFault in src. */}}
{{- define "snowgauge.apiPathFault" -}}
{{- $path := regexReplaceAll "^([a-z]+://)?[^/]*" . "" | regexFind "/ext(/+(admin|bc|health|index|info|metrics|[CPX])(/.*)?)?/*$" -}}
{{- if $path -}}
{{- $found := regexReplaceAll "/+" (regexFind "^/ext(/+[A-Za-z]+)?" $path) "/" -}}
{{- /* The rest is not shown, because it may be the key of a provider. */ -}}
{{- $rest := eq (trimAll "/" $path) (trimPrefix "/" $found) | ternary "" " and everything after it" -}}
contains {{ $found }}, a path of the node's API: remove {{ $found }}{{ $rest }} from the URL
{{- end -}}
{{- end }}
