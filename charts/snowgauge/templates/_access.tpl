{{/* Service account, Roles and admission policy. */}}

{{/* True if a ValidatingAdmissionPolicy limits the permission; Kubernetes 1.30 and later. */}}
{{- define "snowgauge.hasAdmissionPolicy" -}}
{{- if and .Values.admissionPolicy.enabled (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version) -}}
true
{{- end -}}
{{- end }}

{{/* Binds the Role of this name to snowgauge's service account. Takes scope and name, and the namespace if it is not that of the release. */}}
{{- define "snowgauge.roleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "snowgauge.metadata" . | nindent 2 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .name | quote }} }
subjects:
  - { kind: ServiceAccount, name: {{ include "snowgauge.serviceAccountName" .scope | quote }}, namespace: {{ include "snowgauge.namespace" .scope | quote }} }
{{- end }}

{{/* Names of the pods in the Role, as JSON; empty: all pods of the namespace. */}}
{{- define "snowgauge.patchablePods" -}}
{{- $names := list -}}
{{- if not .Values.admissionPolicy.tokenMayPatchAnyPodStatus -}}
{{- $names = .Values.admissionPolicy.podNames -}}
{{- if and (not $names) (eq .Values.mode "demo") -}}
{{- range $at := until (int .Values.replicas) -}}
{{- $names = append $names (printf "%s-%d" (include "snowgauge.fullname" $) $at) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end }}

{{/* Errors in these values, as a JSON list. */}}
{{- define "snowgauge.accessErrors" -}}
{{- $errors := list -}}
{{- $policy := .Values.admissionPolicy -}}
{{- if and (include "snowgauge.keepsPodLabels" .) (ne .Values.mode "fleet") -}}
{{- if not (or (include "snowgauge.hasAdmissionPolicy" .) $policy.tokenMayPatchAnyPodStatus (include "snowgauge.patchablePods" . | fromJsonArray)) -}}
{{- $why := $policy.enabled | ternary (printf "Kubernetes %s has no ValidatingAdmissionPolicy (1.30 and later do)" .Capabilities.KubeVersion.Version) "admissionPolicy.enabled is false" -}}
{{- $errors = append $errors (printf "config.kubernetes.podLabels.enabled: %s, and without a policy the token could write the status of every pod of the namespace, including address and readiness. Set admissionPolicy.podNames, or accept this with admissionPolicy.tokenMayPatchAnyPodStatus: true" $why) -}}
{{- end -}}
{{- if and (eq .Values.mode "sidecar") (not .Values.serviceAccount.name) -}}
{{- $errors = append $errors "serviceAccount.name: set it to the service account of the node's pods. The Role of config.kubernetes.podLabels.enabled is bound to it; the account default is shared with other pods of the namespace" -}}
{{- end -}}
{{- end -}}
{{- toJson $errors -}}
{{- end }}
