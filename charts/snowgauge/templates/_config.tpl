{{/* The configuration of snowgauge, and the parts of it that other objects need: ports, targets, directories. */}}

{{- define "snowgauge.port" -}}
{{- int ((.Values.config.listen | default dict).port | default 9652) -}}
{{- end }}

{{/* Port of the kubelet's probes. A separate listener, so that clients of the other one do not delay probes. */}}
{{- define "snowgauge.probesPort" -}}
{{- int ((.Values.config.probes | default dict).port | default 9653) -}}
{{- end }}

{{/* Host names of snowgauge, except those that nobody can register. `config.server.allowedHosts` adds others. */}}
{{- define "snowgauge.ownHosts" -}}
{{- $names := list (printf "%s.%s" (include "snowgauge.fullname" .) (include "snowgauge.namespace" .)) -}}
{{- /* Host names below .local are always accepted. */}}
{{- if not (or (eq .Values.clusterDomain "local") (hasSuffix ".local" .Values.clusterDomain)) -}}
{{- $names = append $names (printf "*.%s.svc.%s" (include "snowgauge.namespace" .) .Values.clusterDomain) -}}
{{- end -}}
{{- with .Values.ingress }}{{ if .enabled }}{{ $names = concat $names (.hosts | default (list "*")) }}{{ end }}{{ end -}}
{{- with .Values.httpRoute }}{{ if .enabled }}{{ $names = concat $names (.hostnames | default (list "*")) }}{{ end }}{{ end -}}
{{- $names | uniq | join "," -}}
{{- end }}

{{/* Path of the probes of a pod's node, which is the first target. /self is the only target. */}}
{{- define "snowgauge.targetPath" -}}
{{- $targets := .Values.config.targets | default list -}}
{{- gt (len $targets) 1 | ternary (printf "/targets/%s" (first $targets | default dict).name) "/self" -}}
{{- end }}

{{/* The names of its tag sets, as JSON. If all have tags, snowgauge adds one without. `*` stands for the tag sets of `auto`, which are
named after the node's subnets. */}}
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

{{/* True if a fleet discovers the pods of its own namespace, because no other targets are configured. */}}
{{- define "snowgauge.discoversOwn" -}}
{{- $discovery := .Values.config.discovery | default dict -}}
{{- $given := or .Values.config.targets .Values.configObject.existing $discovery.file $discovery.http $discovery.dns $discovery.kubernetes -}}
{{- if and (eq .Values.mode "fleet") (not $given) -}}
true
{{- end -}}
{{- end }}

{{/* True if targets are discovered. */}}
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

{{/* True if snowgauge uses the API server: a fleet watches pods, and its StatefulSet. */}}
{{- define "snowgauge.needsToken" -}}
{{- if or (include "snowgauge.keepsPodLabels" .) (eq .Values.mode "fleet") -}}
true
{{- end -}}
{{- end }}

{{/* snowgauge.yaml. By default, the only target is the node in the pod, and a fleet discovers the pods of its namespace. */}}
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

{{/* True if the port of a URL is in a variable. Takes a URL. */}}
{{- define "snowgauge.hasVariablePort" -}}
{{- $origin := regexFind "^(https?://)?[^/?#]*" . -}}
{{- if and (contains "${" $origin) (not (regexMatch ":[0-9]+$" $origin)) -}}
true
{{- end -}}
{{- end }}

{{/* Ports of the nodes of a fleet, for its network policy. */}}
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
