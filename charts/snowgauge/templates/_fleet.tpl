{{/* Mode fleet: StatefulSets whose pods are shards. */}}

{{/* The StatefulSets, as JSON: their names, and the replica that each of them is; empty if there is only one. */}}
{{- define "snowgauge.sets" -}}
{{- $name := include "snowgauge.fullname" . -}}
{{- $sets := list (dict "name" $name "replica" "") -}}
{{- if .Values.highAvailability -}}
{{- $sets = list -}}
{{- range $replica := list "a" "b" -}}
{{- /* A StatefulSet's name has at most 52 characters, because a label of its pods appends a hash to it. */ -}}
{{- $sets = append $sets (dict "name" (printf "%s-%s" ($name | trunc 50 | trimSuffix "-") $replica) "replica" $replica) -}}
{{- end -}}
{{- end -}}
{{- toJson $sets -}}
{{- end }}

{{/* Labels of the pods of a StatefulSet. Takes scope and set. */}}
{{- define "snowgauge.setSelector" -}}
{{ include "snowgauge.podSelector" .scope }}
{{- with .set.replica }}
snowgauge.io/replica: {{ . }}
{{- end }}
{{- end }}

{{/* The headless Service of a StatefulSet. Takes its name. */}}
{{- define "snowgauge.podsService" -}}
{{ . }}-pods
{{- end }}

{{- define "snowgauge.shards" -}}
{{- .Values.shards | default 1 | int -}}
{{- end }}

{{/* True if there may be several shards, also if the chart does not set their number. */}}
{{- define "snowgauge.mayHaveShards" -}}
{{- if and (eq .Values.mode "fleet") (ne (toJson .Values.shards) "1") -}}
true
{{- end -}}
{{- end }}

{{/* Maximum number of targets that a shard discovers; 0: none. */}}
{{- define "snowgauge.maxDiscovered" -}}
{{- if include "snowgauge.discovers" . -}}
{{- $most := (.Values.config.discovery | default dict).maxTargets -}}
{{- /* A string is an environment variable. */ -}}
{{- kindIs "string" $most | ternary 1000 ($most | default 1000) | int -}}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/* Approximate number of configured targets per shard: hashing does not distribute them exactly. */}}
{{- define "snowgauge.namedInShard" -}}
{{- $named := len (.Values.config.targets | default list) -}}
{{- $shards := include "snowgauge.shards" . | int -}}
{{- gt $shards 1 | ternary (divf (mulf $named 1.2) $shards | ceil) $named | int -}}
{{- end }}

{{/* Memory in MiB for this number of targets: docs/footprint.md. */}}
{{- define "snowgauge.fleetMiB" -}}
{{- addf 80 (mulf 0.3 .) | ceil | int -}}
{{- end }}

{{/* Resources of snowgauge's container. */}}
{{- define "snowgauge.resources" -}}
{{- if .Values.resources -}}
{{- toYaml .Values.resources -}}
{{- else if eq .Values.mode "fleet" -}}
{{- $targets := add (include "snowgauge.namedInShard" . | int) (include "snowgauge.maxDiscovered" . | int) -}}
{{- $limit := max 128 (include "snowgauge.fleetMiB" $targets | int | add 63) | int -}}
{{- $limit = mul 64 (div $limit 64) -}}
requests: { cpu: 20m, memory: {{ max 96 (div $limit 3) }}Mi }
limits: { memory: {{ $limit }}Mi }
{{- else -}}
requests: { cpu: 10m, memory: 80Mi }
limits: { memory: 160Mi }
{{- end -}}
{{- end }}

{{/* The memory limit of snowgauge's container in bytes; nothing if there is none. */}}
{{- define "snowgauge.memoryLimit" -}}
{{- include "snowgauge.bytes" ((include "snowgauge.resources" . | fromYaml).limits | default dict).memory -}}
{{- end }}

{{/* True if it runs without the flags of the image, which are for one node: a fleet needs the optimizing compiler, and has the memory for it. */}}
{{- define "snowgauge.isFast" -}}
{{- $limit := include "snowgauge.memoryLimit" . -}}
{{- if and (not .Values.command) (eq .Values.mode "fleet") (or (eq $limit "") (ge (int64 $limit) 268435456)) -}}
true
{{- end -}}
{{- end }}

{{/* Command that overrides the image's, as JSON. */}}
{{- define "snowgauge.command" -}}
{{- if .Values.command -}}
{{- toJson .Values.command -}}
{{- else if include "snowgauge.isFast" . -}}
["/nodejs/bin/node", "/opt/snowgauge/snowgauge.js"]
{{- end -}}
{{- end }}

{{/* Heap limit of Node in MiB; empty if the image sets it. Without the flags of the image, Node uses 170 MiB of non-heap memory, for which
two thirds of the memory limit as heap would leave too little. */}}
{{- define "snowgauge.heapMiB" -}}
{{- $limit := include "snowgauge.memoryLimit" . -}}
{{- if .Values.maxHeapMiB -}}
{{- int .Values.maxHeapMiB -}}
{{- else if and (include "snowgauge.isFast" .) $limit (not (has "NODE_OPTIONS" (include "snowgauge.extraEnvNames" . | fromJsonArray))) -}}
{{- div (mul (int64 $limit) 55) 104857600 -}}
{{- end -}}
{{- end }}
