{{/* Checks that the schema of the values cannot express. Reports all errors, each with its path and what to do. */}}
{{- define "snowgauge.validate" -}}
{{- $values := .Values -}}
{{- $errors := list -}}
{{- $sidecar := eq $values.mode "sidecar" -}}
{{- $fleet := eq $values.mode "fleet" -}}
{{- $kubernetes := .Capabilities.KubeVersion.Version -}}
{{- $config := $values.config -}}
{{- if not $values.mode -}}
{{- $errors = append $errors "mode: set fleet (watches many nodes), sidecar (in the pod of a node) or demo (a simulated node)" -}}
{{- end -}}
{{- if and $config.targets $values.configObject.existing -}}
{{- $errors = append $errors "config.targets: not used, because configObject.existing has the configuration: set only one of the two" -}}
{{- end -}}
{{- $names := list -}}
{{- range $config.targets -}}
{{- if has .name $names -}}
{{- $errors = append $errors (printf "config.targets: %s is a duplicate" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- range $place := list "commonLabels" "podLabels" -}}
{{- range $label := list "name" "instance" "component" -}}
{{- if hasKey (get $values $place | default dict) (print "app.kubernetes.io/" $label) -}}
{{- $errors = append $errors (printf "%s: app.kubernetes.io/%s is set by the chart, and Services and monitors select it. Use another key%s" $place $label (eq $label "name" | ternary ", or set nameOverride" "")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $sets := include "snowgauge.tagSets" . | fromJsonArray -}}
{{- if not (or $values.configObject.existing (has "*" $sets)) -}}
{{- with $values.nodeProbes.readiness.tagSet -}}
{{- if and (not $fleet) (not (has . $sets)) -}}
{{- $errors = append $errors (printf "nodeProbes.readiness.tagSet: unknown tag set %s, so the node would never be ready: expected one of %s" . (join ", " $sets)) -}}
{{- end -}}
{{- end -}}
{{- range $values.tagSetServices -}}
{{- if not (has .tagSet $sets) -}}
{{- $errors = append $errors (printf "tagSetServices: unknown tag set %s: expected one of %s" .tagSet (join ", " $sets)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq (include "snowgauge.port" .) (include "snowgauge.probesPort" .) -}}
{{- $errors = append $errors "config.probes.port: is also the port of config.listen" -}}
{{- end -}}
{{- range $port := list (include "snowgauge.port" .) (include "snowgauge.probesPort" .) -}}
{{- if and (eq $values.mode "demo") (eq $port (toString (int $values.node.port))) -}}
{{- $errors = append $errors (printf "node.port: %s is also a port of snowgauge, and the containers of a pod share an address" $port) -}}
{{- end -}}
{{- end -}}
{{- if include "snowgauge.isLoopback" (($config.listen | default dict).host | default "") -}}
{{- $errors = append $errors "config.listen.host: the kubelet and Prometheus cannot reach it: write 0.0.0.0 or ::" -}}
{{- end -}}
{{- $variables := include "snowgauge.extraEnvNames" . | fromJsonArray -}}
{{- $known := dict "LISTEN_PORT" "listen.port" "PROBES_PORT" "probes.port" "STATE_DIR" "stateDir" "POD_LABELS_ENABLED" "kubernetes.podLabels.enabled" -}}
{{- range $name, $setting := $known -}}
{{- if has (print "SNOWGAUGE_" $name) $variables -}}
{{- $errors = append $errors (printf "extraEnv: the chart does not see SNOWGAUGE_%s, which replaces config.%s: set that" $name $setting) -}}
{{- end -}}
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
{{- if and $values.stateVolume.persistentVolumeClaim (or $values.highAvailability (gt (int $values.replicas) 1) (include "snowgauge.mayHaveShards" .)) -}}
{{- $errors = append $errors "stateVolume.persistentVolumeClaim: the pods would share one claim, but each needs its own volume: use ephemeral.volumeClaimTemplate" -}}
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
{{- if $values.serviceAccount.create -}}
{{- $errors = append $errors "serviceAccount.create: not in mode sidecar: the pods are the node's, and so is their account" -}}
{{- end -}}
{{- if $values.podDisruptionBudget.enabled -}}
{{- $errors = append $errors "podDisruptionBudget.enabled: not in mode sidecar: the pods are the node's" -}}
{{- end -}}
{{- end -}}
{{- if and (not $fleet) (include "snowgauge.discovers" .) -}}
{{- $errors = append $errors "config.discovery: only in mode fleet: in the other modes, the node in the pod is the target" -}}
{{- end -}}
{{- if $fleet -}}
{{- if gt (int $values.replicas) 1 -}}
{{- $errors = append $errors "replicas: only in mode demo: use shards, which share the targets, or highAvailability, which watches each target twice" -}}
{{- end -}}
{{- $address := ($config.listen | default dict).externalAddress -}}
{{- if and $address (include "snowgauge.mayHaveShards" .) (not (contains "{shard}" $address)) -}}
{{- $errors = append $errors "config.listen.externalAddress: each shard needs its own: write {shard} for its number, or remove it" -}}
{{- end -}}
{{- if and $address $values.highAvailability -}}
{{- $errors = append $errors "config.listen.externalAddress: both replicas of a shard would have the same: remove it" -}}
{{- end -}}
{{- range include "snowgauge.discoveredNamespaces" . | fromJsonArray -}}
{{- if contains "$" . -}}
{{- $errors = append $errors (printf "config.discovery.kubernetes: write the name instead of %s: the chart creates a Role in each namespace" .) -}}
{{- else if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" .) -}}
{{- $errors = append $errors (printf "config.discovery.kubernetes: %q is not the name of a namespace: list each by its name, there is no wildcard" .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $on := dict "sidecar.native" $values.sidecar.native "nodeProbes.startup.enabled" $values.nodeProbes.startup.enabled "nodeProbes.liveness.enabled" $values.nodeProbes.liveness.enabled "nodeProbes.readiness.tagSet" $values.nodeProbes.readiness.tagSet -}}
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
{{- $errors = append $errors "tagSetServices: need config.kubernetes.podLabels.enabled, which sets the labels that they select" -}}
{{- end -}}
{{- if and (include "snowgauge.keepsPodLabels" .) (gt (len ($config.targets | default list)) 1) -}}
{{- $errors = append $errors "config.kubernetes.podLabels.enabled: needs exactly one target, the node of its pod" -}}
{{- end -}}
{{- if not $fleet -}}
{{- if gt (include "snowgauge.shards" . | int) 1 -}}
{{- $errors = append $errors "shards: only in mode fleet" -}}
{{- end -}}
{{- if $values.highAvailability -}}
{{- $errors = append $errors "highAvailability: only in mode fleet" -}}
{{- end -}}
{{- end -}}
{{- range $name := list "ingress" "httpRoute" -}}
{{- if and (get $values $name).enabled (not $values.service.enabled) -}}
{{- $errors = append $errors (printf "%s.enabled: needs service.enabled" $name) -}}
{{- end -}}
{{- end -}}
{{- with $values.monitoring -}}
{{- if gt (include "snowgauge.milliseconds" .scrapeTimeout | int64) (include "snowgauge.milliseconds" .interval | int64) -}}
{{- $errors = append $errors (printf "monitoring.scrapeTimeout: %s is above monitoring.interval (%s): Prometheus rejects it" .scrapeTimeout .interval) -}}
{{- end -}}
{{- if and (has .kind (list "ServiceMonitor" "ScrapeConfig")) (not $values.service.enabled) -}}
{{- $errors = append $errors (printf "monitoring.kind: %s needs service.enabled; PodMonitor does not" .kind) -}}
{{- end -}}
{{- if and (eq .kind "ServiceMonitor") $values.injection.namespaceSelector -}}
{{- $errors = append $errors "monitoring.kind: the Service selects only pods of its own namespace, and injection.namespaceSelector may select others: use PodMonitor" -}}
{{- end -}}
{{- if and (eq .kind "ScrapeConfig") (not $fleet) -}}
{{- $errors = append $errors "monitoring.kind: ScrapeConfig is for mode fleet: use PodMonitor" -}}
{{- end -}}
{{- $taken := dict "jobLabel" (list "ServiceMonitor" "PodMonitor") "podTargetLabels" (list "ServiceMonitor" "PodMonitor") "targetLabels" (list "ServiceMonitor") -}}
{{- range $name, $kinds := $taken -}}
{{- if and (get $values.monitoring $name) (not (has $values.monitoring.kind $kinds)) -}}
{{- $errors = append $errors (printf "monitoring.%s: only with monitoring.kind: %s" $name (join " or " $kinds)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $values.prometheusRule.enabled -}}
{{- $rules := .Files.Get "files/rules.json" | fromJson -}}
{{- $settings := $values.prometheusRule.settings -}}
{{- $identity := regexSplit ", *" (get $settings "identity" | default $rules.settings.identity) -1 -}}
{{- range $identity -}}
{{- if has . $rules.variableLabels -}}
{{- $errors = append $errors (printf "prometheusRule.settings.identity: %s has several values for one target, or changes: leave it out" .) -}}
{{- end -}}
{{- end -}}
{{- range regexSplit ", *" (get $settings "fleet" | default $rules.settings.fleet) -1 -}}
{{- if not (has . $identity) -}}
{{- $errors = append $errors (printf "prometheusRule.settings.fleet: %s is not in identity: a fleet is a set of targets with equal labels" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- $errors = append $errors "httpRoute.parentRefs: set the Gateway of the route" -}}
{{- end -}}
{{- if and $values.service.nodePort (eq $values.service.type "ClusterIP") -}}
{{- $errors = append $errors "service.nodePort: needs service.type: NodePort or LoadBalancer" -}}
{{- end -}}
{{- if and $values.probe.targets (not $values.service.enabled) (not $values.probe.address) -}}
{{- $errors = append $errors "probe.targets: need service.enabled or probe.address" -}}
{{- end -}}
{{- /* Another exporter has its own configuration. */ -}}
{{- if and $values.probe.targets (not $values.probe.address) (not $values.configObject.existing) -}}
{{- $prober := $config.probe | default dict -}}
{{- $module := dict -}}
{{- range $prober.modules -}}
{{- if eq .name $values.probe.module -}}
{{- $module = . -}}
{{- end -}}
{{- end -}}
{{- if not (or $module (eq $values.probe.module "default")) -}}
{{- $errors = append $errors (printf "probe.module: config.probe.modules has no %s, so every probe would fail (400): add it there, or set another" $values.probe.module) -}}
{{- else if not (hasKey $module "allow" | ternary $module.allow $prober.allow) -}}
{{- $errors = append $errors (printf "probe.targets: %s is empty, so every probe would be refused (403): allow the targets there, such as [{ cidr: 10.0.0.0/8 }] or [{ host: node.example.com }]" (hasKey $module "allow" | ternary (printf "the allow of module %s in config.probe.modules" $values.probe.module) "config.probe.allow")) -}}
{{- end -}}
{{- end -}}
{{- if not $fleet -}}
{{- $errors = concat $errors (include "snowgauge.probeErrors" . | fromJsonArray) -}}
{{- end -}}
{{- $errors = concat $errors (include "snowgauge.objectErrors" . | fromJsonArray) -}}
{{- $errors = concat $errors (include "snowgauge.accessErrors" . | fromJsonArray) -}}
{{- $errors = concat $errors (include "snowgauge.webErrors" . | fromJsonArray) -}}
{{- $errors = concat $errors (include "snowgauge.regexErrors" . | fromJsonArray) -}}
{{- $errors = concat $errors (include "snowgauge.memoryErrors" . | fromJsonArray) -}}
{{- if $errors -}}
{{- fail (printf "\n\nsnowgauge: the values have %d error(s):\n- %s\n" (len $errors) (join "\n- " $errors)) -}}
{{- end -}}
{{- end }}
