{{/*
A value as an expression of the Common Expression Language. Takes value and type, the type of an object: `Object.spec.volumes`.
`{ expression: … }` alone is an expression already: no object of a pod has such a field.
*/}}
{{- define "snowgauge.cel" -}}
{{- $type := .type -}}
{{- if and (kindIs "map" .value) (hasKey .value "expression") -}}
{{- .value.expression -}}
{{- else if kindIs "map" .value -}}
{{- /* Quantities by resource: keys of the user's choice, so a map and no object. */ -}}
{{- $isMap := has (splitList "." $type | last) (list "limits" "requests") -}}
{{- if not $isMap }}{{ $type }}{{ end -}}
{
{{- range $at, $key := keys .value | sortAlpha -}}
{{- if $at }}, {{ end -}}
{{- $isMap | ternary (quote $key) $key }}: {{ include "snowgauge.cel" (dict "value" (get $.value $key) "type" (printf "%s.%s" $type $key)) -}}
{{- end -}}
}
{{- else if kindIs "slice" .value -}}
[
{{- range $at, $item := .value -}}
{{- if $at }}, {{ end -}}
{{- include "snowgauge.cel" (dict "value" $item "type" $type) -}}
{{- end -}}
]
{{- else if kindIs "float64" .value -}}
{{- int64 .value -}}
{{- else -}}
{{- toJson .value -}}
{{- end -}}
{{- end }}
