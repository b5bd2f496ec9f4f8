import { isJson } from '../../../openapi/body.ts';
import { type Operation, type Parameter, resolve, type Schema } from '../../../openapi/document.ts';
import type { Inputs } from '../../../openapi/serialize.ts';
import { encodeAll, UnspecifiedError } from '../../../openapi/styles.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import type { WireRequest } from '../../../openapi/wire.ts';
import { isNode, type Spec } from '../../openapi.ts';

/** An operation with all of its inputs, and the request with them. */
export interface Call {
  readonly spec: Spec;
  readonly operation: Operation;
  readonly full: Inputs;
  readonly valid: WireRequest;
  build(inputs: Inputs, key?: string): WireRequest;
}

interface InvalidRequest {
  /** What is wrong, for people. */
  readonly label: string;
  readonly request: WireRequest;
}

/** The number of invalid bodies that are sent. */
const MAX_BODIES = 6;

/** Requests that the spec does not allow, each with one violation. */
export function invalidRequests(call: Call): InvalidRequest[] {
  const { operation, valid } = call;
  const mark = valid.target.includes('?') ? '&' : '?';
  const unknown = { ...valid, target: `${valid.target}${mark}no-such-parameter=1` };
  const parameters = operation.parameters.filter(({ in: place }) => place === 'query' || place === 'header');
  return [
    { label: 'an unknown parameter', request: unknown },
    ...parameters.flatMap((parameter) => invalidParameters(call, parameter)),
    ...(operation.body ? invalidBodies(call) : []),
  ];
}

function invalidParameters(call: Call, parameter: Parameter): InvalidRequest[] {
  const { name, required } = parameter;
  const schema = schemaOf(parameter);
  const fits = valueCheck(call.spec);
  const wrong = ['no such value', ['no such value']].find((value) => !fits(schema, value));
  // Any text is valid here.
  const isText = fits(schema, 'no such value');
  const request = wrong === undefined || isText ? undefined : withParameter(call, parameter, wrong);
  return [
    ...(request ? [{ label: `an invalid ${name}`, request }] : []),
    ...(required ? [{ label: `no ${name}`, request: withoutParameter(call.valid, parameter) }] : []),
  ];
}

function invalidBodies({ spec, operation: { body }, full, valid }: Call): InvalidRequest[] {
  const type = valid.headers['content-type'] ?? '';
  const { body: _, ...rest } = valid;
  // An empty body is a valid text, and valid bytes.
  const missing = body?.required && /json|form/.test(type) ? [{ label: 'no body', request: rest }] : [];
  if (!isJson(type)) return missing;
  const fits = valueCheck(spec);
  const wrong = changedValues(full.body).filter((value) => !fits(body?.content[type]?.schema ?? {}, value));
  const texts = wrong.slice(0, MAX_BODIES).map((value) => JSON.stringify(value));
  return [
    ...missing,
    { label: 'a body that is no JSON', request: { ...valid, body: '{' } },
    ...texts.map((text) => ({ label: `the body ${text.slice(0, 60)}`, request: { ...valid, body: text } })),
  ];
}

/** Requests whose path has a value that its parameter does not allow. */
export function unmatchedPaths(call: Call): InvalidRequest[] {
  const fits = valueCheck(call.spec);
  const inPath = call.operation.parameters.filter(({ in: place }) => place === 'path');
  return inPath.flatMap((parameter) => {
    const schema = schemaOf(parameter);
    // Any text is valid here.
    if (fits(schema, 'no such value')) return [];
    const { minimum, maximum } = resolve(call.spec, schema);
    const wrong = [
      ...['no such value', 0.5].filter((value) => !fits(schema, value)),
      ...(minimum === undefined ? [] : [String(BigInt(minimum) - 1n)]),
      ...(maximum === undefined ? [] : [String(BigInt(maximum) + 1n)]),
    ];
    return wrong.flatMap((value) => {
      const request = withParameter(call, parameter, value);
      return request ? [{ label: `the ${parameter.name} ${value}`, request }] : [];
    });
  });
}

/** The same inputs with another valid body; nothing where none is found. */
export function changedBody({ spec, operation, full }: Call): Inputs | undefined {
  const schema = operation.body?.content[full.contentType ?? '']?.schema;
  const fits = valueCheck(spec);
  const body = schema && changedValues(full.body).find((value) => fits(schema, value));
  return body === undefined ? undefined : { ...full, body };
}

export function schemaOf({ schema, content = {} }: Parameter): Schema {
  return schema ?? Object.values(content)[0]?.schema ?? {};
}

/** The request with this value of a parameter; nothing where its style cannot write the value. */
function withParameter({ full, build }: Call, { in: place, name }: Parameter, value: unknown) {
  try {
    return build({ ...full, [place]: { ...full[place], [name]: value } });
  } catch (error) {
    if (error instanceof UnspecifiedError) return undefined;
    throw error;
  }
}

function withoutParameter(request: WireRequest, { in: place, name }: Parameter): WireRequest {
  if (place === 'header') {
    const { [name.toLowerCase()]: _, ...headers } = request.headers;
    return { ...request, headers };
  }
  const [path = '', query = ''] = request.target.split('?');
  const isOther = (pair: string) => ![encodeAll(name), `${encodeAll(name)}%5B`].some((one) => pair.startsWith(one));
  return { ...request, target: `${path}?${query.split('&').filter(isOther).join('&')}` };
}

const unlikelyValues = [null, true, 0.5, 'no such value', [], {}, [null]];

/** Values near a valid one, of which some may be valid too. */
function changedValues(valid: unknown): unknown[] {
  if (!isNode(valid)) return unlikelyValues;
  const entries = Object.entries(valid);
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name))),
    { ...valid, 'no-such-property': 1 },
    ...entries.flatMap(([name]) => unlikelyValues.map((value) => ({ ...valid, [name]: value }))),
    ...unlikelyValues,
  ];
}
