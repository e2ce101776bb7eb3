// Names of settings that hold no secret: an error may quote a short value of them. A setting that is not listed must never be quoted, so
// that secrets in a new setting are considered.

export const settingsWithoutSecrets: ReadonlySet<string> = new Set(
  `
  action allow allowedHosts cidr confirmEvery discovery dns enabled end exclude expected externalAddress failAfter file files frozenAfter
  healthCheckFrequency host http ignoreChecks ignoreReasons include indexes info injectionRevision kubernetes labels listen
  liveness maintenance maxBodySize maxConcurrent maxReportSize maxTargets metrics modules modulus name names namespaces nodeId onShutdown
  passAfter podInfoDir podLabels podName podNamespace port ports probe probes readiness reason refreshInterval regex
  relabelings replacement scheme separator server serviceAccountDir sourceLabels staleAfter start stateDir tagSets tags target
  targetLabel targets timeout timeoutOffset trustedProxies type unresponsiveAfter uptimeRequirement validator windows
  client_auth_type client_allowed_sans min_version max_version cipher_suites prefer_server_cipher_suites curve_preferences
  http_server_config http2 rate_limit interval burst
`
    .trim()
    .split(/\s+/),
);
