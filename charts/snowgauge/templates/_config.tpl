{{/* The configuration of snowgauge, and what of it the objects must know: ports, targets, folders. */}}

{{- define "snowgauge.port" -}}
{{- int ((.Values.config.listen | default dict).port | default 9652) -}}
{{- end }}

{{/* Of the listener that the kubelet asks: one of its own, so that no client of the other keeps a probe waiting. */}}
{{- define "snowgauge.probesPort" -}}
{{- int ((.Values.config.probes | default dict).port | default 9653) -}}
{{- end }}

{{/* Host names that lead here, beside those that nobody can register: `config.server.allowedHosts` has further ones. */}}
{{- define "snowgauge.ownHosts" -}}
{{- $names := list (printf "%s.%s" (include "snowgauge.fullname" .) (include "snowgauge.namespace" .)) -}}
{{- /* Below .local they are answered anyway. */}}
{{- if not (or (eq .Values.clusterDomain "local") (hasSuffix ".local" .Values.clusterDomain)) -}}
{{- $names = append $names (printf "*.%s.svc.%s" (include "snowgauge.namespace" .) .Values.clusterDomain) -}}
{{- end -}}
{{- with .Values.ingress }}{{ if .enabled }}{{ $names = concat $names (.hosts | default (list "*")) }}{{ end }}{{ end -}}
{{- with .Values.httpRoute }}{{ if .enabled }}{{ $names = concat $names (.hostnames | default (list "*")) }}{{ end }}{{ end -}}
{{- $names | uniq | join "," -}}
{{- end }}

{{/* Where snowgauge answers for the target that the probes of a pod are about, the first: /self is the only one. */}}
{{- define "snowgauge.targetPath" -}}
{{- $targets := .Values.config.targets | default list -}}
{{- gt (len $targets) 1 | ternary (printf "/targets/%s" (first $targets | default dict).name) "/self" -}}
{{- end }}

{{/* The names of its tag sets, as JSON: where none is without tags, snowgauge puts one before them. The node's subnets name those of
`auto`: `*` stands for them. */}}
{{- define "snowgauge.tagSets" -}}
{{- $names := list -}}
{{- $hasWhole := false -}}
{{- $sets := (first (.Values.config.targets | default (list dict))).tagSets -}}
{{- range kindIs "string" $sets | ternary (list $sets) $sets -}}
{{- if kindIs "string" . -}}
{{- $names = append $names "*" -}}
{{- else -}}
{{- $names = append $names .name -}}
{{- if not .tags }}{{ $hasWhole = true }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $hasWhole | ternary $names (prepend $names "all") | toJson -}}
{{- end }}

{{- define "snowgauge.keepsPodLabels" -}}
{{- if ((.Values.config.kubernetes | default dict).podLabels | default dict).enabled -}}
true
{{- end -}}
{{- end }}

{{/* True where a fleet discovers the pods of its own namespace, because nothing says what else to watch. */}}
{{- define "snowgauge.discoversOwn" -}}
{{- $discovery := .Values.config.discovery | default dict -}}
{{- $given := or .Values.config.targets .Values.configObject.existing $discovery.file $discovery.http $discovery.dns $discovery.kubernetes -}}
{{- if and (eq .Values.mode "fleet") (not $given) -}}
true
{{- end -}}
{{- end }}

{{/* True where targets are discovered. */}}
{{- define "snowgauge.discovers" -}}
{{- $discovery := .Values.config.discovery | default dict -}}
{{- if or (include "snowgauge.discoversOwn" .) $discovery.file $discovery.http $discovery.dns $discovery.kubernetes -}}
true
{{- end -}}
{{- end }}

{{/* Namespaces whose pods are discovered, as JSON. */}}
{{- define "snowgauge.discoveredNamespaces" -}}
{{- $own := include "snowgauge.namespace" . -}}
{{- $names := include "snowgauge.discoversOwn" . | empty | ternary list (list $own) -}}
{{- range (.Values.config.discovery | default dict).kubernetes -}}
{{- range .namespaces -}}
{{- $names = append $names (replace "${SNOWGAUGE_POD_NAMESPACE}" $own .) -}}
{{- end -}}
{{- end -}}
{{- $names | uniq | sortAlpha | toJson -}}
{{- end }}

{{/* True where snowgauge asks the API server: a fleet for pods, and for the number of its shards. */}}
{{- define "snowgauge.needsToken" -}}
{{- if or (include "snowgauge.keepsPodLabels" .) (eq .Values.mode "fleet") -}}
true
{{- end -}}
{{- end }}

{{/* snowgauge.yaml. Unless others are named, the only target is the node in its pod, and those of a fleet are the pods of its namespace. */}}
{{- define "snowgauge.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if include "snowgauge.discoversOwn" . -}}
{{- $own := dict "namespaces" (list "${SNOWGAUGE_POD_NAMESPACE}") -}}
{{- $_ := set $config "discovery" (merge (dict "kubernetes" (list $own)) ($config.discovery | default dict)) -}}
{{- else if not (or $config.targets (include "snowgauge.discovers" .)) -}}
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

{{/* Takes a URL. Not urlParse, whose error does not say where the invalid URL is. */}}
{{- define "snowgauge.urlPort" -}}
{{- regexFind "^https?://[^/?#]*" . | regexFind ":[0-9]+$" | trimPrefix ":" | default (hasPrefix "https:" . | ternary "443" "80") -}}
{{- end }}

{{/* True of a URL whose port only snowgauge knows. Takes a URL. */}}
{{- define "snowgauge.hasVariablePort" -}}
{{- $origin := regexFind "^(https?://)?[^/?#]*" . -}}
{{- if and (contains "${" $origin) (not (regexMatch ":[0-9]+$" $origin)) -}}
true
{{- end -}}
{{- end }}

{{/* Where the nodes of a fleet listen, for its network policy. */}}
{{- define "snowgauge.nodePorts" -}}
{{- $ports := .Values.networkPolicy.nodes.ports -}}
{{- if not $ports -}}
{{- range concat (.Values.config.targets | default list) ((.Values.config.discovery | default dict).http | default list) -}}
{{- $ports = append $ports (include "snowgauge.urlPort" .url | int) -}}
{{- end -}}
{{- $probe := .Values.config.probe | default dict -}}
{{- range prepend ($probe.modules | default list) $probe -}}
{{- range .allow -}}
{{- range .ports | default (list 9650) -}}
{{- $ports = append $ports (int .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range (.Values.config.discovery | default dict).dns -}}
{{- $ports = append $ports (int (.port | default 9650)) -}}
{{- end -}}
{{- if include "snowgauge.discovers" . -}}
{{- $ports = prepend $ports 9650 -}}
{{- end -}}
{{- end -}}
{{- $ports | default (list 9650) | uniq | toYaml -}}
{{- end }}
