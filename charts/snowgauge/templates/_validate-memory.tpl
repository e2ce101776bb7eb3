{{/* Errors in memory limits and heap, as a JSON list. */}}
{{- define "snowgauge.memoryErrors" -}}
{{- $values := .Values -}}
{{- $errors := list -}}
{{- if and $values.maxHeapMiB (has "NODE_OPTIONS" (include "snowgauge.extraEnvNames" . | fromJsonArray)) -}}
{{- $errors = append $errors "maxHeapMiB: extraEnv sets NODE_OPTIONS too: write --max-old-space-size there, and set maxHeapMiB to 0" -}}
{{- end -}}
{{- range $place, $resources := dict "resources" $values.resources "node.resources" $values.node.resources -}}
{{- $limit := (($resources | default dict).limits | default dict).memory -}}
{{- with include "snowgauge.bytes" $limit -}}
{{- if and (lt (int64 .) 67108864) (not $values.allowUnsafe) -}}
{{- $shown := kindIs "string" $limit | ternary $limit (toJson $limit) -}}
{{- $meant := regexMatch "^[0-9]{1,5}m?$" $shown | ternary (printf "did you mean %sMi?" (trimSuffix "m" $shown)) "set at least 64Mi" -}}
{{- $errors = append $errors (printf "%s.limits.memory: %s is too little for Node to start in: %s" $place $shown $meant) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $limit := ((include "snowgauge.resources" . | fromYaml).limits | default dict).memory -}}
{{- with include "snowgauge.bytes" $limit -}}
{{- if eq $values.mode "fleet" -}}
{{- $named := len ($values.config.targets | default list) -}}
{{- $needed := include "snowgauge.namedInShard" $ | int | include "snowgauge.fleetMiB" | int -}}
{{- if and (lt (int64 .) (mul $needed 1048576)) (ge (int64 .) 67108864) (not $values.allowUnsafe) -}}
{{- $errors = append $errors (printf "resources.limits.memory: %v is too little for %d targets: set at least %dMi, or use more shards" $limit $named $needed) -}}
{{- end -}}
{{- end -}}
{{- if and $values.maxHeapMiB (ge (mulf $values.maxHeapMiB 1048576) (float64 .)) -}}
{{- $errors = append $errors (printf "maxHeapMiB: %v MiB do not fit into resources.limits.memory (%v), which must also hold non-heap memory: the container would run out of memory repeatedly. 0 sets a heap limit that fits" $values.maxHeapMiB $limit) -}}
{{- end -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}

{{/* Takes a duration in the format of Prometheus. */}}
{{- define "snowgauge.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 -}}
{{- $sum := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[smhdwy])" . -1 -}}
{{- $unit := regexFind "[a-z]+" . -}}
{{- $sum = add $sum (mul (trimSuffix $unit .) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end }}

{{/* A quantity in bytes; empty if it is not a quantity, or has a suffix that is not used for memory. */}}
{{- define "snowgauge.bytes" -}}
{{- $text := kindIs "string" . | ternary . (kindIs "invalid" . | ternary "" (int64 . | toString)) -}}
{{- if regexMatch "^[0-9]+([.][0-9]+)?(Ki|Mi|Gi|Ti|m|k|M|G|T)?$" $text -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- $bytes := dict "" 1 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "m" 0.001 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 -}}
{{- mulf (trimSuffix $unit $text) (get $bytes $unit) | int64 -}}
{{- end -}}
{{- end }}
