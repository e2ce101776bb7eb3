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

{{/* snowgauge.yaml. Beside a node, the node is the one target unless others are named. */}}
{{- define "snowgauge.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if not $config.targets -}}
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
{{- range .Values.config.targets -}}
{{- $ports = append $ports (include "snowgauge.urlPort" .url | int) -}}
{{- end -}}
{{- range (.Values.config.probe | default dict).allow -}}
{{- range .ports | default (list 9650) -}}
{{- $ports = append $ports (int .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $ports | default (list 9650) | uniq | toYaml -}}
{{- end }}
