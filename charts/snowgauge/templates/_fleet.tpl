{{/* Mode fleet: StatefulSets whose pods are shards. */}}

{{/* The StatefulSets, as JSON: their names, and the replica that each of them is; empty if there is only one. */}}
{{- define "snowgauge.sets" -}}
{{- $name := include "snowgauge.fullname" . -}}
{{- $sets := list (dict "name" $name "replica" "") -}}
{{- if .Values.highAvailability -}}
{{- $sets = list -}}
{{- range $replica := list "a" "b" -}}
{{- /* A StatefulSet's name has 52 characters at most: in a label of its pods a hash comes behind it. */ -}}
{{- $sets = append $sets (dict "name" (printf "%s-%s" ($name | trunc 50 | trimSuffix "-") $replica) "replica" $replica) -}}
{{- end -}}
{{- end -}}
{{- toJson $sets -}}
{{- end }}

{{/* Labels of the pods of one of them. Takes scope and set. */}}
{{- define "snowgauge.setSelector" -}}
{{ include "snowgauge.podSelector" .scope }}
{{- with .set.replica }}
snowgauge.io/replica: {{ . }}
{{- end }}
{{- end }}

{{/* The headless Service of one of them. Takes its name. */}}
{{- define "snowgauge.podsService" -}}
{{ . }}-pods
{{- end }}

{{- define "snowgauge.shards" -}}
{{- .Values.shards | default 1 | int -}}
{{- end }}

{{/* True where there may be several shards: a number that the chart does not set may be any. */}}
{{- define "snowgauge.mayHaveShards" -}}
{{- if and (eq .Values.mode "fleet") (ne (toJson .Values.shards) "1") -}}
true
{{- end -}}
{{- end }}

{{/* How many targets a shard discovers at most; 0: none. */}}
{{- define "snowgauge.maxDiscovered" -}}
{{- if include "snowgauge.discovers" . -}}
{{- $most := (.Values.config.discovery | default dict).maxTargets -}}
{{- /* A variable of the environment is a text. */ -}}
{{- kindIs "string" $most | ternary 1000 ($most | default 1000) | int -}}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/* How many of the targets that are named a shard watches: hashing spreads them by and large. */}}
{{- define "snowgauge.namedInShard" -}}
{{- $named := len (.Values.config.targets | default list) -}}
{{- $shards := include "snowgauge.shards" . | int -}}
{{- gt $shards 1 | ternary (divf (mulf $named 1.2) $shards | ceil) $named | int -}}
{{- end }}

{{/* What so many targets take, as a number of MiB: docs/footprint.md. */}}
{{- define "snowgauge.fleetMiB" -}}
{{- addf 80 (mulf 0.3 .) | ceil | int -}}
{{- end }}

{{/* What snowgauge's container may use. */}}
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

{{/* Whether it runs at full speed. The flags of the image suit one node: many want the optimising compiler, and have the memory for it. */}}
{{- define "snowgauge.isFast" -}}
{{- $limit := include "snowgauge.memoryLimit" . -}}
{{- if and (not .Values.command) (eq .Values.mode "fleet") (or (eq $limit "") (ge (int64 $limit) 268435456)) -}}
true
{{- end -}}
{{- end }}

{{/* What is run in place of the image's own command, as JSON. */}}
{{- define "snowgauge.command" -}}
{{- if .Values.command -}}
{{- toJson .Values.command -}}
{{- else if include "snowgauge.isFast" . -}}
["/nodejs/bin/node", "/opt/snowgauge/snowgauge.js"]
{{- end -}}
{{- end }}

{{/* What Node's heap may take, in MiB; nothing where the image decides. At full speed Node holds 170 MiB beside the heap that this
limits, for its young objects, for what scrapes are joined of, and itself: two thirds of the limit would leave too little for them. */}}
{{- define "snowgauge.heapMiB" -}}
{{- $limit := include "snowgauge.memoryLimit" . -}}
{{- if .Values.maxHeapMiB -}}
{{- int .Values.maxHeapMiB -}}
{{- else if and (include "snowgauge.isFast" .) $limit (not (has "NODE_OPTIONS" (include "snowgauge.extraEnvNames" . | fromJsonArray))) -}}
{{- div (mul (int64 $limit) 55) 104857600 -}}
{{- end -}}
{{- end }}
