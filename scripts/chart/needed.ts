// The values without which the templates fail, with an error that does not name the value.

import { isShape, type Shape } from './shapes.ts';

/** Helm removes a value that is null, such as a section whose keys are all comments; then the schema reports it as missing. */
export const needed: readonly string[] = `
  commonLabels clusterDomain image imagePullSecrets config webConfig configObject configObject.key stateVolume probes
  nodeProbes nodeProbes.node nodeProbes.startup nodeProbes.readiness nodeProbes.liveness
  sidecar injection injection.podLabels node node.persistence podLabels podAnnotations hostNetwork admissionPolicy serviceAccount
  service service.enabled ingress httpRoute podDisruptionBudget networkPolicy networkPolicy.nodes networkPolicy.nodes.ports
  monitoring monitoring.interval monitoring.scrapeTimeout probe
  prometheusRule prometheusRule.settings prometheusRule.alertLabels dashboards tests`
  .trim()
  .split(/\s+/);

/** The schema of an object and of the objects in it, with these paths required. */
export const requiring = (schema: Shape, paths: readonly string[]): Shape => {
  const properties = Object.entries(isShape(schema.properties) ? schema.properties : {}).map(([key, shape]) => {
    const below = paths.flatMap((path) => (path.startsWith(`${key}.`) ? [path.slice(key.length + 1)] : []));
    return [key, isShape(shape) && below.length > 0 ? requiring(shape, below) : shape];
  });
  return { ...schema, properties: Object.fromEntries(properties), required: paths.filter((path) => !path.includes('.')) };
};
