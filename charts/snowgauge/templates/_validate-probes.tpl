{{/* Errors in probes that may restart the node's container, as a JSON list. */}}
{{- define "snowgauge.probeErrors" -}}
{{- $probes := .Values.nodeProbes -}}
{{- $errors := list -}}
{{- $asksNode := false -}}
{{- range $name := list "startup" "liveness" -}}
{{- $probe := get $probes $name -}}
{{- if $probe.enabled -}}
{{- if $.Values.injection.enabled -}}
{{- $errors = append $errors (printf "nodeProbes.%s: not with injection.enabled, which does not change the node's container: set the probe in the node's own chart" $name) -}}
{{- end -}}
{{- if eq $probe.source "node" -}}
{{- $asksNode = true -}}
{{- else if not $probes.mayRestartHealthyNodes -}}
{{- $errors = append $errors (printf "nodeProbes.%s.source: snowgauge: while snowgauge is down (an image that cannot be pulled, out of memory), this probe fails and the kubelet restarts a healthy node repeatedly. Probe the node itself (source: node), or accept this with nodeProbes.mayRestartHealthyNodes: true" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.injection.enabled $probes.readiness.tagSet -}}
{{- $errors = append $errors "nodeProbes.readiness.tagSet: not with injection.enabled, which does not change the node's container: set the probe in the node's own chart" -}}
{{- end -}}
{{- if and $asksNode (ne .Values.mode "demo") -}}
{{- $host := $probes.node.host -}}
{{- if not $host -}}
{{- $errors = append $errors "nodeProbes.node.host: set it to the value of the node's flag http-host, 0.0.0.0 or ::. By default a node listens on 127.0.0.1, but the kubelet uses the pod IP: the probes would fail, and the node would be restarted forever" -}}
{{- else if include "snowgauge.isLoopback" $host -}}
{{- $errors = append $errors (printf "nodeProbes.node.host: the kubelet uses the pod IP, and a node that listens only on %s does not respond there: it would be restarted forever. Start it with --http-host=0.0.0.0, and set that here" $host) -}}
{{- end -}}
{{- $scheme := $probes.node.scheme -}}
{{- $url := include "snowgauge.nodeUrl" . -}}
{{- if not $scheme -}}
{{- $errors = append $errors "nodeProbes.node.scheme: set HTTP, or HTTPS if the node's http-tls-enabled is set: with the wrong scheme the probes fail, and the node would be restarted forever. Its health API must be on too (api-health-enabled): a 404 is a failure" -}}
{{- else if and $url (eq (include "snowgauge.nodeProbePort" .) (include "snowgauge.urlPort" $url)) (not (hasPrefix (printf "%s:" (lower $scheme)) $url)) -}}
{{- $errors = append $errors (printf "nodeProbes.node.scheme: is %s, but config.targets has the other scheme for the same port: with the wrong scheme the probes fail, and the node would be restarted forever. If the kubelet should use another port, set nodeProbes.node.port" $scheme) -}}
{{- end -}}
{{- end -}}
{{- if and $asksNode (eq .Values.mode "demo") (not .Values.allowUnsafe) -}}
{{- $args := join " " .Values.node.args -}}
{{- $unasked := "the kubelet, which probes the node itself for startup and liveness, would restart it forever; allowUnsafe is for drills" -}}
{{- range regexFindAll "--http-host[= ][^ ]+" $args -1 -}}
{{- if include "snowgauge.isLoopback" (regexReplaceAll "--http-host[= ]" . "") -}}
{{- $errors = append $errors (printf "node.args: with %s %s" . $unasked) -}}
{{- end -}}
{{- end -}}
{{- range regexFindAll "--(api-health-enabled[= ]false|http-(tls|port)[^ ]*)" $args -1 -}}
{{- $errors = append $errors (printf "node.args: with %s %s" . $unasked) -}}
{{- end -}}
{{- if eq $probes.node.scheme "HTTPS" -}}
{{- $errors = append $errors (printf "nodeProbes.node.scheme: the node of mode demo speaks HTTP: %s" $unasked) -}}
{{- end -}}
{{- end -}}
{{- $startup := mul (int $probes.startup.periodSeconds) (int $probes.startup.failureThreshold) -}}
{{- $liveness := mul (int $probes.liveness.periodSeconds) (int $probes.liveness.failureThreshold) -}}
{{- if not .Values.allowUnsafe -}}
{{- if and $probes.startup.enabled (lt $startup 3600) -}}
{{- $errors = append $errors (printf "nodeProbes.startup: failureThreshold × periodSeconds is %d s, and must be at least 3600 s: a large database takes long to open, and a node that is killed meanwhile has to start again; allowUnsafe is for drills" $startup) -}}
{{- end -}}
{{- if $probes.liveness.enabled -}}
{{- if le $liveness 300 -}}
{{- $errors = append $errors (printf "nodeProbes.liveness: failureThreshold × periodSeconds is %d s, and must be above 300 s: every restart costs a bootstrap, and a disk that is slow for a minute, or a snowgauge that backs off for five, does not justify one; allowUnsafe is for drills" $liveness) -}}
{{- end -}}
{{- if and (eq $probes.liveness.source "node") (not $probes.startup.enabled) -}}
{{- $errors = append $errors "nodeProbes.liveness: needs nodeProbes.startup.enabled: without it liveness begins at once, and restarts a node that is still opening its database" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $probes.liveness.enabled (eq $probes.liveness.source "node") $probes.startup.enabled (ne $probes.startup.source "node") -}}
{{- $errors = append $errors "nodeProbes.startup.source: must be node where nodeProbes.liveness.source is: /self/startupz responds 200 to Unknown, so startup would pass at once, and liveness would restart a node that still opens its database" -}}
{{- end -}}
{{- if and $probes.liveness.enabled (eq $probes.liveness.source "snowgauge") (ge $liveness 600) -}}
{{- $errors = append $errors (printf "nodeProbes.liveness: failureThreshold × periodSeconds is %d s: with source: snowgauge it never acts from 600 s on, because snowgauge reports not live for at most 600 s" $liveness) -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}

{{/* URL of the only node in the pod; empty if the chart does not know it. */}}
{{- define "snowgauge.nodeUrl" -}}
{{- $targets := .Values.config.targets -}}
{{- if or .Values.configObject.existing (eq .Values.mode "demo") (gt (len ($targets | default list)) 1) -}}
{{- else if not $targets -}}
http://127.0.0.1:{{ int .Values.node.port }}
{{- else if not (contains "${" (first $targets).url) -}}
{{- (first $targets).url -}}
{{- end -}}
{{- end }}

{{/* Port of the node for the kubelet and for the Services of tag sets. */}}
{{- define "snowgauge.nodeProbePort" -}}
{{- $url := include "snowgauge.nodeUrl" . -}}
{{- if .Values.nodeProbes.node.port -}}
{{- int .Values.nodeProbes.node.port -}}
{{- else if $url -}}
{{- include "snowgauge.urlPort" $url -}}
{{- else -}}
{{- int .Values.node.port -}}
{{- end -}}
{{- end }}

{{/* True if the host is a loopback address, with or without brackets. A name that begins with 127. is not one. */}}
{{- define "snowgauge.isLoopback" -}}
{{- if regexMatch "(?i)^\\[?(localhost\\.?|(::ffff:)?127(\\.[0-9]+){1,3}|(0*:){2,7}0*1)\\]?$" (trim .) -}}
true
{{- end -}}
{{- end }}

{{- define "snowgauge.extraEnvNames" -}}
{{- $names := list -}}
{{- range .Values.extraEnv }}{{ $names = append $names .name }}{{ end -}}
{{- toJson $names -}}
{{- end }}
