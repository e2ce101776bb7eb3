{{/*
A value as an expression of the Common Expression Language. Takes value and type, the type of an object: `Object.spec.volumes`.
`{ expression: … }` is already an expression: no object of a pod has such a field.
*/}}
{{- define "snowgauge.cel" -}}
{{- $type := .type -}}
{{- if and (kindIs "map" .value) (hasKey .value "expression") -}}
{{- .value.expression -}}
{{- else if kindIs "map" .value -}}
{{- /* With keys chosen by the user, it is a map and not an object: quantities by resource, labels, attributes of a volume. The values of a map
have one type, and a quantity may be a number. */ -}}
{{- $isMap := or (has (splitList "." $type | last) (list "limits" "requests")) (not (regexMatch "^([A-Za-z]\\w*(,|$))*$" (keys .value | join ","))) -}}
{{- if not $isMap }}{{ $type }}{{ end -}}
{
{{- range $at, $key := keys .value | sortAlpha -}}
{{- if $at }}, {{ end -}}
{{- $value := get $.value $key -}}
{{- if $isMap -}}
{{- quote $key }}: {{ kindIs "string" $value | ternary $value (toJson $value) | toJson -}}
{{- else -}}
{{- $key }}: {{ include "snowgauge.cel" (dict "value" $value "type" (printf "%s.%s" $type $key)) -}}
{{- end -}}
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
