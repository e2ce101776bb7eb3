{{/* What a schema of the values cannot say: every error at once, each with its path and what to do. */}}
{{- define "snowgauge.validate" -}}
{{- $values := .Values -}}
{{- $errors := list -}}
{{- $sidecar := eq $values.mode "sidecar" -}}
{{- $fleet := eq $values.mode "fleet" -}}
{{- $kubernetes := .Capabilities.KubeVersion.Version -}}
{{- $config := $values.config -}}
{{- if or (not $values.mode) (and $fleet (not $config.targets) (not (include "snowgauge.discovers" .)) (not $values.configObject.existing)) -}}
{{- $errors = append $errors (printf "%s: nothing to watch: name the nodes in config.targets or in a file (configObject.existing), or have them found (config.discovery), in mode fleet, or set mode: sidecar (beside a node, in its pod) or mode: demo (a simulated node)" (empty $values.mode | ternary "mode" "config.targets")) -}}
{{- end -}}
{{- if and $config.targets $values.configObject.existing -}}
{{- $errors = append $errors "config.targets: not used, because configObject.existing holds the configuration: name them in one of the two" -}}
{{- end -}}
{{- $names := list -}}
{{- range $config.targets -}}
{{- if has .name $names -}}
{{- $errors = append $errors (printf "config.targets: %s is there twice" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- /* Not shown: it may hold a password. */ -}}
{{- if not (regexMatch "^https?://[^@?#\\s]+$" .url) -}}
{{- $errors = append $errors (printf "config.targets: the url of %s is no http:// or https:// URL without user, query and fragment: credentials have settings of their own (authorization)" .name) -}}
{{- end -}}
{{- end -}}
{{- range $place := list "commonLabels" "podLabels" -}}
{{- range $label := list "name" "instance" "component" -}}
{{- if hasKey (get $values $place | default dict) (print "app.kubernetes.io/" $label) -}}
{{- $errors = append $errors (printf "%s: app.kubernetes.io/%s is the chart's own: Services and monitors select by it. Take another key%s" $place $label (eq $label "name" | ternary ", or set nameOverride" "")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not $values.configObject.existing -}}
{{- $sets := include "snowgauge.tagSets" . | fromJsonArray -}}
{{- with $values.nodeProbes.readiness.tagSet -}}
{{- if and (not $fleet) (not (has . $sets)) -}}
{{- $errors = append $errors (printf "nodeProbes.readiness.tagSet: there is no tag set %s, so the node would never be ready: there are %s" . (join ", " $sets)) -}}
{{- end -}}
{{- end -}}
{{- range $values.tagSetServices -}}
{{- if not (has .tagSet $sets) -}}
{{- $errors = append $errors (printf "tagSetServices: there is no tag set %s: there are %s" .tagSet (join ", " $sets)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq (include "snowgauge.port" .) (include "snowgauge.probesPort" .) -}}
{{- $errors = append $errors "config.probes.port: is the port of config.listen too" -}}
{{- end -}}
{{- range $port := list (include "snowgauge.port" .) (include "snowgauge.probesPort" .) -}}
{{- if and (eq $values.mode "demo") (eq $port (toString (int $values.node.port))) -}}
{{- $errors = append $errors (printf "node.port: %s is a port of snowgauge too, and the containers of a pod share an address" $port) -}}
{{- end -}}
{{- end -}}
{{- if include "snowgauge.isLoopback" (($config.listen | default dict).host | default "") -}}
{{- $errors = append $errors "config.listen.host: neither the kubelet nor Prometheus can reach it: write 0.0.0.0 or ::" -}}
{{- end -}}
{{- if $values.injection.enabled -}}
{{- if not $sidecar -}}
{{- $errors = append $errors "injection.enabled: only in mode sidecar" -}}
{{- else if semverCompare "<1.34.0-0" $kubernetes -}}
{{- $errors = append $errors (printf "injection.enabled: needs Kubernetes 1.34, this is %s: include the template snowgauge.containers in the node's chart" $kubernetes) -}}
{{- end -}}
{{- end -}}
{{- if and (eq (toString $values.sidecar.native) "true") (semverCompare "<1.29.0-0" $kubernetes) -}}
{{- $errors = append $errors (printf "sidecar.native: needs Kubernetes 1.29, this is %s: leave it false" $kubernetes) -}}
{{- end -}}
{{- if and $values.injection.namespaceSelector (include "snowgauge.keepsPodLabels" .) -}}
{{- $errors = append $errors "injection.namespaceSelector: not with config.kubernetes.podLabels.enabled, whose Role is for the pods of the release's namespace" -}}
{{- end -}}
{{- if $sidecar -}}
{{- range $name := list "affinity" "dnsConfig" "dnsPolicy" "extraContainers" "hostAliases" "hostNetwork" "podAnnotations" "podLabels" "priorityClassName" "runtimeClassName" "topologySpreadConstraints" "updateStrategy" -}}
{{- if get $values $name -}}
{{- $errors = append $errors (printf "%s: not in mode sidecar: the pods are the node's" $name) -}}
{{- end -}}
{{- end -}}
{{- $presets := fromJson `{"replicas":1,"terminationGracePeriodSeconds":30,"podSecurityContext":{"runAsNonRoot":true,"runAsUser":65532,"runAsGroup":65532,"fsGroup":65532,"fsGroupChangePolicy":"OnRootMismatch","seccompProfile":{"type":"RuntimeDefault"}}}` -}}
{{- range $name, $preset := $presets -}}
{{- if and (hasKey $values $name) (ne (get $values $name | toJson) (toJson $preset)) -}}
{{- $errors = append $errors (printf "%s: not in mode sidecar: the pods are the node's" $name) -}}
{{- end -}}
{{- end -}}
{{- if $values.networkPolicy.enabled -}}
{{- $errors = append $errors "networkPolicy.enabled: not in mode sidecar: it would select the pods of the node, and cut it off from its peers" -}}
{{- end -}}
{{- if $values.podDisruptionBudget.enabled -}}
{{- $errors = append $errors "podDisruptionBudget.enabled: not in mode sidecar: the pods are the node's" -}}
{{- end -}}
{{- end -}}
{{- if and (not $fleet) (include "snowgauge.discovers" .) -}}
{{- $errors = append $errors "config.discovery: only in mode fleet: beside a node, the node is the target" -}}
{{- end -}}
{{- if $fleet -}}
{{- range $name, $on := dict "sidecar.native" $values.sidecar.native "nodeProbes.startup.enabled" $values.nodeProbes.startup.enabled "nodeProbes.liveness.enabled" $values.nodeProbes.liveness.enabled -}}
{{- if $on -}}
{{- $errors = append $errors (printf "%s: not in mode fleet: no node is in the pods" $name) -}}
{{- end -}}
{{- end -}}
{{- if include "snowgauge.keepsPodLabels" . -}}
{{- $errors = append $errors "config.kubernetes.podLabels.enabled: not in mode fleet: the pod is snowgauge's own, and no node is in it" -}}
{{- end -}}
{{- if $values.tagSetServices -}}
{{- $errors = append $errors "tagSetServices: not in mode fleet: no node is in the pods" -}}
{{- end -}}
{{- else if and $values.tagSetServices (not (include "snowgauge.keepsPodLabels" .)) -}}
{{- $errors = append $errors "tagSetServices: need config.kubernetes.podLabels.enabled, which keeps the labels that they select by" -}}
{{- end -}}
{{- if and (include "snowgauge.keepsPodLabels" .) (gt (len ($config.targets | default list)) 1) -}}
{{- $errors = append $errors "config.kubernetes.podLabels.enabled: needs exactly one target, the node of its pod" -}}
{{- end -}}
{{- range $name := list "serviceMonitor" "ingress" "httpRoute" -}}
{{- if and (get $values $name).enabled (not $values.service.enabled) -}}
{{- $errors = append $errors (printf "%s.enabled: needs service.enabled" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "serviceMonitor" "podMonitor" "probe" -}}
{{- $monitor := get $values $name -}}
{{- if gt (include "snowgauge.milliseconds" $monitor.scrapeTimeout | int64) (include "snowgauge.milliseconds" $monitor.interval | int64) -}}
{{- $errors = append $errors (printf "%s.scrapeTimeout: %s is above %s.interval, which is %s: Prometheus refuses it" $name $monitor.scrapeTimeout $name $monitor.interval) -}}
{{- end -}}
{{- if and $monitor.tlsConfig (ne $monitor.scheme "https") -}}
{{- $errors = append $errors (printf "%s.tlsConfig: needs %s.scheme: https" $name $name) -}}
{{- end -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- $errors = append $errors "httpRoute.parentRefs: name the Gateway that the route is for" -}}
{{- end -}}
{{- if and $values.service.nodePort (eq $values.service.type "ClusterIP") -}}
{{- $errors = append $errors "service.nodePort: needs service.type: NodePort or LoadBalancer" -}}
{{- end -}}
{{- if and $values.probe.enabled (not $values.service.enabled) (not $values.probe.address) -}}
{{- $errors = append $errors "probe.enabled: needs service.enabled or probe.address" -}}
{{- end -}}
{{- if and $values.probe.enabled (not $values.probe.targets) -}}
{{- $errors = append $errors "probe.targets: name the nodes to probe, such as 10.0.0.5:9650" -}}
{{- end -}}
{{- if not $fleet -}}
{{- $errors = concat $errors (include "snowgauge.probeErrors" . | fromJsonArray) -}}
{{- end -}}
{{- $errors = concat $errors (include "snowgauge.accessErrors" . | fromJsonArray) -}}
{{- $errors = concat $errors (include "snowgauge.memoryErrors" . | fromJsonArray) -}}
{{- if $errors -}}
{{- fail (printf "\n\nsnowgauge: the values have %d error(s):\n- %s\n" (len $errors) (join "\n- " $errors)) -}}
{{- end -}}
{{- end }}
