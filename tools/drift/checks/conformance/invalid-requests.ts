import { isJson } from '../../../openapi/body.ts';
import { type Operation, type Parameter, resolve, type Schema } from '../../../openapi/document.ts';
import type { Inputs, WireRequest } from '../../../openapi/serialize.ts';
import { encodeAll } from '../../../openapi/styles.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import { isNode, type Spec } from '../../openapi.ts';
import { integersBeyond, unlessUnspecified } from '../values.ts';

/** An operation, and its valid request with all inputs. */
export interface Call {
  readonly spec: Spec;
  readonly operation: Operation;
  readonly allInputs: Inputs;
  readonly validRequest: WireRequest;
  /** Builds the request with these inputs, and with the accepted API key unless another is passed. */
  build(inputs: Inputs, apiKey?: string): WireRequest;
}

interface InvalidRequest {
  /** The violation, as a finding names it. */
  readonly label: string;
  readonly request: WireRequest;
}

/** The number of invalid bodies that are sent. */
const MAX_BODIES = 6;

/** Requests that violate the spec, each in one place, but not in the path. */
export function invalidRequests(call: Call): InvalidRequest[] {
  const { operation, validRequest } = call;
  const separator = validRequest.target.includes('?') ? '&' : '?';
  const unknown = { ...validRequest, target: `${validRequest.target}${separator}no-such-parameter=1` };
  const required = operation.parameters.filter(
    ({ required, in: location }) => required && /query|header/.test(location),
  );
  return [
    { label: 'an unknown parameter', request: unknown },
    ...requestsWithInvalid(call, ['query', 'header']),
    ...required.map((parameter) => ({
      label: `no ${parameter.name}`,
      request: withoutParameter(validRequest, parameter),
    })),
    ...(operation.body ? invalidBodies(call) : []),
  ];
}

/** Requests with a value of a parameter that its schema does not allow. */
export function requestsWithInvalid(call: Call, locations: readonly Parameter['in'][]): InvalidRequest[] {
  const parameters = call.operation.parameters.filter(({ in: location }) => locations.includes(location));
  return parameters.flatMap((parameter) =>
    invalidValues(call.spec, schemaOf(parameter)).flatMap((value) => {
      const { in: location, name } = parameter;
      const inputs = { ...call.allInputs, [location]: { ...call.allInputs[location], [name]: value } };
      const request = unlessUnspecified(() => call.build(inputs));
      return request ? [{ label: `the ${name} ${value}`, request }] : [];
    }),
  );
}

/** Values that a schema does not allow: of another type, and just beyond its bounds. */
function invalidValues(spec: Spec, schema: Schema): unknown[] {
  const fits = valueCheck(spec);
  // If any text is valid, no value is known to be invalid.
  if (['no such value', ['no such value']].some((text) => fits(schema, text))) return [];
  return ['no such value', 0.5, ...integersBeyond(resolve(spec, schema))].filter((value) => !fits(schema, value));
}

function invalidBodies({ spec, operation: { body }, allInputs, validRequest }: Call): InvalidRequest[] {
  const type = validRequest.headers['content-type'] ?? '';
  const { body: _, ...withoutBody } = validRequest;
  // As text or bytes an empty body is valid, so only an empty JSON body or form is invalid.
  const missing = body?.required && /json|form/.test(type) ? [{ label: 'no body', request: withoutBody }] : [];
  if (!isJson(type)) return missing;
  const fits = valueCheck(spec);
  const wrong = changedValues(allInputs.body).filter((value) => !fits(body?.content[type]?.schema ?? {}, value));
  const texts = wrong.slice(0, MAX_BODIES).map((value) => JSON.stringify(value));
  return [
    ...missing,
    { label: 'a body that is not JSON', request: { ...validRequest, body: '{' } },
    ...texts.map((text) => ({ label: `the body ${text.slice(0, 60)}`, request: { ...validRequest, body: text } })),
  ];
}

/** The same inputs with another valid body; undefined if no other valid body is found. */
export function changedBody({ spec, operation, allInputs }: Call): Inputs | undefined {
  const schema = operation.body?.content[allInputs.contentType ?? '']?.schema;
  const fits = valueCheck(spec);
  const body = schema && changedValues(allInputs.body).find((value) => fits(schema, value));
  return body === undefined ? undefined : { ...allInputs, body };
}

export function schemaOf({ schema, content = {} }: Parameter): Schema {
  return schema ?? Object.values(content)[0]?.schema ?? {};
}

function withoutParameter(request: WireRequest, { in: location, name }: Parameter): WireRequest {
  if (location === 'header') {
    const { [name.toLowerCase()]: _, ...headers } = request.headers;
    return { ...request, headers };
  }
  const [path = '', query = ''] = request.target.split('?');
  const isOther = (pair: string) => !['=', '%5B'].some((end) => pair.startsWith(encodeAll(name) + end));
  return { ...request, target: `${path}?${query.split('&').filter(isOther).join('&')}` };
}

const unlikelyValues = [null, true, 0.5, 'no such value', [], {}, [null]];

/** Values that differ from a valid value in one place. Some of them may be valid, too. */
function changedValues(value: unknown): unknown[] {
  if (!isNode(value)) return unlikelyValues;
  const entries = Object.entries(value);
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name))),
    { ...value, 'no-such-property': 1 },
    ...entries.flatMap(([name]) => unlikelyValues.map((unlikely) => ({ ...value, [name]: unlikely }))),
    ...unlikelyValues,
  ];
}
