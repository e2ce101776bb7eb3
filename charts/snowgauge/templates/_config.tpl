{{/* The configuration of snowgauge, and what of it the objects must know: ports, targets, folders. */}}

{{- define "snowgauge.port" -}}
{{- int ((.Values.config.listen | default dict).port | default 9652) -}}
{{- end }}

{{- define "snowgauge.probesPort" -}}
{{- with (.Values.config.probes | default dict).port }}{{ int . }}{{ end -}}
{{- end }}

{{/* The name of the container's port that the kubelet asks. */}}
{{- define "snowgauge.probesPortName" -}}
{{- if include "snowgauge.probesPort" . }}snowgauge-probe{{ else }}snowgauge{{ end -}}
{{- end }}

{{/* The target that probes and labels of a pod are about: the first. */}}
{{- define "snowgauge.target" -}}
{{- if and .Values.config.targets (not .Values.configObject.existing) -}}
{{- (first .Values.config.targets).name -}}
{{- else -}}
{{- .Values.sidecar.target -}}
{{- end -}}
{{- end }}

{{/* The names of its tag sets, as JSON: where none is without tags, snowgauge puts one before them. */}}
{{- define "snowgauge.tagSets" -}}
{{- $names := list -}}
{{- $hasWhole := false -}}
{{- range (first (.Values.config.targets | default (list dict))).tagSets -}}
{{- $names = append $names .name -}}
{{- if not .tags }}{{ $hasWhole = true }}{{ end -}}
{{- end -}}
{{- $hasWhole | ternary $names (prepend $names "all") | toJson -}}
{{- end }}

{{- define "snowgauge.keepsPodLabels" -}}
{{- if ((.Values.config.kubernetes | default dict).podLabels | default dict).enabled -}}
true
{{- end -}}
{{- end }}

{{/* True where targets are discovered. */}}
{{- define "snowgauge.discovers" -}}
{{- with .Values.config.discovery -}}
{{- if or .file .http .dns .kubernetes -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/* Namespaces whose pods are discovered, as JSON. */}}
{{- define "snowgauge.discoveredNamespaces" -}}
{{- $names := list -}}
{{- range (.Values.config.discovery | default dict).kubernetes -}}
{{- $names = concat $names .namespaces -}}
{{- end -}}
{{- $names | uniq | sortAlpha | toJson -}}
{{- end }}

{{/* True where snowgauge asks the API server. */}}
{{- define "snowgauge.needsToken" -}}
{{- if or (include "snowgauge.keepsPodLabels" .) (include "snowgauge.discoveredNamespaces" . | fromJsonArray) -}}
true
{{- end -}}
{{- end }}

{{/* snowgauge.yaml. Beside a node, the node is the one target unless others are named. */}}
{{- define "snowgauge.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if not (or $config.targets (include "snowgauge.discovers" .)) -}}
{{- $target := dict "name" .Values.sidecar.target "url" (printf "http://127.0.0.1:%d" (int .Values.node.port)) -}}
{{- if eq .Values.mode "demo" -}}
{{- $_ := set $target "healthCheckFrequency" .Values.node.healthCheckFrequency -}}
{{- end -}}
{{- $_ := set $config "targets" (list $target) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end }}

{{- define "snowgauge.configName" -}}
{{- .Values.configObject.existing | default (printf "%s-config" (include "snowgauge.fullname" .)) -}}
{{- end }}

{{/* Takes a URL. Not urlParse, whose error for one that is none says nothing of where it stands. */}}
{{- define "snowgauge.urlPort" -}}
{{- regexFind "^https?://[^/]*" . | regexFind ":[0-9]+$" | trimPrefix ":" | default (hasPrefix "https:" . | ternary "443" "80") -}}
{{- end }}

{{/* Where the nodes of a fleet listen, for its network policy. */}}
{{- define "snowgauge.nodePorts" -}}
{{- $ports := .Values.networkPolicy.nodes.ports -}}
{{- if not $ports -}}
{{- range concat (.Values.config.targets | default list) ((.Values.config.discovery | default dict).http | default list) -}}
{{- $ports = append $ports (include "snowgauge.urlPort" .url | int) -}}
{{- end -}}
{{- range (.Values.config.probe | default dict).allow -}}
{{- range .ports | default (list 9650) -}}
{{- $ports = append $ports (int .) -}}
{{- end -}}
{{- end -}}
{{- if include "snowgauge.discovers" . -}}
{{- $ports = prepend $ports 9650 -}}
{{- end -}}
{{- end -}}
{{- $ports | default (list 9650) | uniq | toYaml -}}
{{- end }}
