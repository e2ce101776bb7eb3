{{/*
What the policy adds to a pod, as an expression of CEL. Takes scope, and revision: the label and the variable by which a sidecar
knows whether the policy has changed since.
*/}}
{{- define "snowgauge.injectionPatch" -}}
{{- $revision := .revision -}}
{{- with .scope -}}
{{- $name := include "snowgauge.fullname" . -}}
{{- /* The file is not named: in a namespace without the ConfigMap the one target is at the URL. */}}
{{- $container := include "snowgauge.container" (dict "scope" . "sidecar" true "args" (list "run" "--stay")) | fromYamlArray | first -}}
{{- $own := list (dict "name" "SNOWGAUGE_INJECTION_REVISION" "value" $revision) -}}
{{- $env := concat $own ($container.env | default list) -}}
{{- $url := dict "name" "SNOWGAUGE_URL" "value" (dict "expression" "variables.url") -}}
{{- /* A type is named as the path to it, and the policy fails where it is not: of a native sidecar in another list. */}}
{{- $type := include "snowgauge.native" . | empty | ternary "Object.spec.containers" "Object.spec.initContainers" -}}
{{- $list := dict "type" (print $type ".env") -}}
{{- $expression := printf "(variables.url == '' ? [] : %s) + %s" (include "snowgauge.cel" (merge (dict "value" (list $url)) $list)) (include "snowgauge.cel" (merge (dict "value" $env) $list)) -}}
{{- $_ := set $container "env" (dict "expression" $expression) -}}
{{- $mount := dict "name" "snowgauge-injection" "mountPath" "/etc/snowgauge-injection" "readOnly" true -}}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts $mount) -}}
{{- $configMap := dict "name" (print $name "-injection") "optional" true -}}
{{- $volumes := append (include "snowgauge.volumes" . | fromYamlArray) (dict "name" "snowgauge-injection" "configMap" $configMap) -}}
[JSONPatch{op: "add", path: "/metadata/labels/snowgauge.io~1sidecar", value: {{ $name | quote }}},
JSONPatch{op: "add", path: "/metadata/labels/snowgauge.io~1injection-revision", value: {{ $revision | quote }}}] +
{{- if include "snowgauge.native" . }}
(has(object.spec.initContainers) ? [] : [JSONPatch{op: "add", path: "/spec/initContainers", value: []}]) +
[JSONPatch{op: "add", path: "/spec/initContainers/0", value: {{ include "snowgauge.cel" (dict "value" $container "type" $type) }}}] +
{{- else }}
[JSONPatch{op: "add", path: "/spec/containers/-", value: {{ include "snowgauge.cel" (dict "value" $container "type" $type) }}}] +
{{- end }}
(has(object.spec.volumes) ? [] : [JSONPatch{op: "add", path: "/spec/volumes", value: []}]) +
[{{ range $at, $volume := $volumes }}{{ if $at }}, {{ end -}}
JSONPatch{op: "add", path: "/spec/volumes/-", value: {{ include "snowgauge.cel" (dict "value" $volume "type" "Object.spec.volumes") }}}
{{- end }}]
{{- end -}}
{{- end }}

{{- define "snowgauge.injectionRevision" -}}
{{- include "snowgauge.injectionPatch" (dict "scope" . "revision" "") | sha256sum | trunc 12 -}}
{{- end }}
