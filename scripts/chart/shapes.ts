// Building blocks for the JSON Schema of the chart's values.

export interface Shape {
  readonly [keyword: string]: unknown;
}

export const isShape = (value: unknown): value is Shape => typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Shape = { type: 'string' };
export const flag: Shape = { type: 'boolean' };
export const labels: Shape = { type: 'object', additionalProperties: text };

export const whole = (minimum: number, maximum: number): Shape => ({ type: 'integer', minimum, maximum });
export const oneOf = (...values: readonly string[]): Shape => ({ enum: values });
export const listOf = (items: Shape): Shape => ({ type: 'array', items });
/** `what` describes the pattern. */
export const matching = (pattern: string, what: string): Shape => ({ type: 'string', pattern, description: what });

/** Validated elsewhere: the scenario by the node, global values by other charts. */
export const foreign: Shape = { type: 'object' };

export const port = whole(1, 65_535);
export const dnsLabel = matching('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', 'A DNS label.');
/** The name of a Kubernetes object. */
export const objectName = matching('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', 'The name of an object, or empty.');
/** The name of a Service, which is a host name; the chart appends a suffix. */
export const letterFirst = matching('^([a-z]([-a-z0-9]{0,61}[a-z0-9])?)?$', 'A DNS label that begins with a letter, or empty.');
export const hostName = matching(
  '^(\\*\\.)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
  'A host name, or a pattern such as *.example.com.',
);
export const cidr = matching('^[0-9a-fA-F.:]+/[0-9]{1,3}$', 'A network such as 10.0.0.0/8.');
export const goDuration = matching('^([0-9]+(\\.[0-9]+)?(h|m|s|ms))+$', 'A duration such as 30s.');

/** Units from largest to smallest, as Prometheus requires. Also matches an empty string. */
export const wholeSeconds = '([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?';
export const scrapeDuration: Shape = {
  ...matching(`^${wholeSeconds}([0-9]+ms)?$`, "A duration in Prometheus' spelling, such as 30s."),
  minLength: 1,
};
export const quantity: Shape = { type: ['string', 'number'] };

/** An object with only these properties. */
export const only = (properties: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required }),
});
