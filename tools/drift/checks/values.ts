import { isJson } from '../../openapi/body.ts';
import { show } from '../../openapi/compare.ts';
import { type Operation, resolve, type Schema } from '../../openapi/document.ts';
import { type Example, exampleInputs, exampleValue } from '../../openapi/examples.ts';
import { exampleCredentials } from '../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../openapi/serialize.ts';
import { UnspecifiedError } from '../../openapi/styles.ts';
import { valueCheck } from '../../openapi/validate.ts';
import { cached } from '../cached.ts';
import { isNode, type Node, node, type Spec, typeOf } from '../openapi.ts';

/** The declared successes by their statuses, without `2XX`, each with the schema of its JSON. */
export function successesOf(spec: Spec, { object }: Operation): [status: number, schema: Schema | undefined][] {
  const successes = Object.entries(object.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status));
  return successes.map(([status, response]) => {
    const contents = Object.entries(node(resolve(spec, node(response)).content));
    const [, media] = contents.find(([type]) => isJson(type)) ?? [];
    return [Number(status), node(media).schema as Schema | undefined];
  });
}

/** Valid bodies of a response: objects, or lists of objects, with each property at its bounds. */
export function dataFor(spec: Spec, schema: Schema | undefined): unknown[] {
  if (!schema) return [];
  const { items } = resolve(spec, schema);
  const bodies = bodiesFor(spec, isNode(items) ? items : schema);
  if (bodies.length === 0) return [exampleValue(spec, schema, true)];
  return items ? [bodies, []] : bodies;
}

/** The beginning of a value's JSON, with the digits of bigints. */
export const excerpt = (value: unknown) => show(value).slice(0, 200);

/** The least and the greatest integer by the bounds and the format of a schema; undefined without such a bound. */
function integerRange({ minimum, maximum, format }: Schema) {
  const bound = (declared: number | undefined, boundOfInt64: bigint) => {
    if (declared !== undefined && Number.isInteger(declared)) return BigInt(declared);
    return format === 'int64' ? boundOfInt64 : undefined;
  };
  return [bound(minimum, -(2n ** 63n)), bound(maximum, 2n ** 63n - 1n)] as const;
}

/** The integers just beyond the bounds and the format of a schema. */
export function integersBeyond(schema: Schema): bigint[] {
  const [low, high] = integerRange(schema);
  return [low === undefined ? [] : low - 1n, high === undefined ? [] : high + 1n].flat();
}

/** Values at the bounds of a schema. Some may be invalid, because of its other keywords. */
function valuesAtBounds(schema: Schema): readonly unknown[] {
  const { enum: values, format, minLength = 0, maxLength = 3000 } = schema;
  if (values) return values;
  switch (typeOf(schema)) {
    case 'integer': {
      const [low = -1n, high = 2n ** 31n] = integerRange(schema);
      return [low, 0n, 1_000_000n, high].map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n));
    }
    case 'string':
      // Arbitrary texts do not have the format.
      if (format !== undefined) return [];
      return ['x'.repeat(minLength), ' both ', 'Ünïcødé 猫 \u2028 "quoted" \\ \u0000', 'x'.repeat(maxLength)];
    case 'boolean':
      return [true, false];
    default:
      return [];
  }
}

/** Valid objects: one with all properties, one with the required properties, and one for each bound of each property. */
export function bodiesFor(spec: Spec, schema: Schema): Node[] {
  const [full, required] = [exampleValue(spec, schema, true), exampleValue(spec, schema, false)];
  if (!isNode(full) || !isNode(required)) return [];
  const fits = valueCheck(spec);
  const properties = Object.entries(node(resolve(spec, schema).properties));
  const atBounds = properties.flatMap(([name, property]) =>
    valuesAtBounds(resolve(spec, node(property) as Schema)).map((value) => ({ ...full, [name]: value })),
  );
  return [full, required, ...atBounds.filter((body) => fits(schema, body))];
}

// The operation comes first, because `cached` remembers a result by the first argument.
const examplesOf = cached((operation: Operation, spec: Spec) => exampleInputs(spec, operation));

/** The valid inputs of a call that an operation requires. */
export function requiredInputs(spec: Spec, operation: Operation): Inputs {
  return examplesOf(operation, spec)[0]?.inputs ?? {};
}

/** Valid values for all inputs of a call. */
export function fullInputs(spec: Spec, operation: Operation): Inputs {
  return examplesOf(operation, spec).find(({ label }) => label === 'all')?.inputs ?? {};
}

/** Valid inputs of a call: the examples, and all inputs with one parameter, or one property of the body, at a bound. */
export const inputsFor = cached((operation: Operation, spec: Spec): Example[] => {
  const examples = examplesOf(operation, spec);
  const full = fullInputs(spec, operation);
  const fits = valueCheck(spec);
  const parametersAtBounds: Example[] = operation.parameters.flatMap(({ in: location, name, schema = {} }) => {
    // OpenAPI does not define how headers and cookies carry an empty text, or characters other than letters, digits, _ and -.
    const isCarried = (value: unknown) => /path|query/.test(location) || !/[^\w-]|^$/.test(String(value));
    return valuesAtBounds(resolve(spec, schema))
      .filter((value) => fits(schema, value) && isCarried(value))
      .map((value) => ({
        label: `${name}=${value}`,
        inputs: { ...full, [location]: { ...full[location], [name]: value } },
      }));
  });
  const { contentType = '' } = full;
  const schema = operation.body?.content[contentType]?.schema;
  const bodies = schema && isJson(contentType) ? bodiesFor(spec, schema) : [];
  const withBodies = bodies.map((body, i) => ({ label: `body ${i + 1}`, inputs: { ...full, body } }));
  // An optional body without properties is not sent.
  const isLeftOut = ({ body }: Inputs) => !operation.body?.required && isNode(body) && Object.keys(body).length === 0;
  const requestOf = (inputs: Inputs) => expectedRequest(spec, operation.id, inputs, exampleCredentials(spec));
  return [...examples, ...parametersAtBounds, ...withBodies].filter(
    ({ inputs }) => !isLeftOut(inputs) && unlessUnspecified(() => requestOf(inputs)),
  );
});

/** The built request; undefined if OpenAPI does not define how its inputs are written. */
export function unlessUnspecified<T>(build: () => T): T | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof UnspecifiedError) return undefined;
    throw error;
  }
}
