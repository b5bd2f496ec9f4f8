import { exampleInputs } from '../../../openapi/examples.ts';
import { expectedRequest } from '../../../openapi/serialize.ts';
import { valueErrors } from '../../../openapi/validate.ts';
import { wireRequest } from '../../../openapi/wire.ts';
import { list, node, type Spec } from '../../openapi.ts';
import { credentialsFor } from './attempts.ts';
import type { Send } from './preparation.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/**
 * What is wrong with the responses to paths and methods that no operation has: 404, and 405 with the methods of the path. The
 * words are what a path may hold that somebody has added.
 */
export async function unknownTargetErrors(
  spec: Spec,
  key: string,
  send: Send,
  words: readonly string[],
): Promise<string[]> {
  const errors: string[] = [];
  const targets = new Map<string, { headers: Readonly<Record<string, string>>; methods: string[] }>();
  for (const operation of spec.operations.values()) {
    const [{ inputs } = { inputs: {} }] = exampleInputs(spec, operation);
    const { target, headers } = wireRequest(expectedRequest(spec, operation.id, inputs, credentialsFor(spec, key)));
    const path = target.split('?')[0] ?? '';
    const known = targets.get(path) ?? { headers, methods: [] };
    targets.set(path, { ...known, methods: [...known.methods, operation.method] });
  }
  const [{ headers = {} } = {}] = targets.values();
  const authorization = pick(headers);
  const strangers = [
    '/no-such-path',
    '/store/orders',
    ...words.flatMap((word) => ['', ...targets.keys()].map((path) => `${path}/${word}`)),
    ...[...targets.keys()].flatMap((path) => [`${path}/no-such-path`, `${path}/`, path.toUpperCase()]),
  ];
  for (const target of strangers.filter((one) => !isServed(spec, one))) {
    const response = await send({ method: 'GET', target, headers: authorization });
    if (response.status !== 404) errors.push(`GET ${target} is answered ${response.status}, not 404`);
    errors.push(...errorBody(spec, `GET ${target}`, await response.text()));
  }
  if (list(spec.root.security).some((all) => Object.keys(node(all)).length > 0)) {
    const { status } = await send({ method: 'GET', target: '/no-such-path', headers: {} });
    if (status !== 401) errors.push(`GET /no-such-path without a key is answered ${status}, not 401`);
  }
  for (const [target, { methods }] of targets) {
    errors.push(...(await methodErrors(target, methods, (method) => send({ method, target, headers: authorization }))));
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const response = await send({ method, target, headers: authorization });
      const allowed = named((response.headers.get('allow') ?? '').split(/, */));
      if (response.status !== 405) errors.push(`${method} ${target} is answered ${response.status}, not 405`);
      else if (allowed.join() !== named(methods).join())
        errors.push(`${method} ${target} is answered with Allow ${allowed}, and the path has ${methods}`);
      errors.push(...errorBody(spec, `${method} ${target}`, await response.text()));
    }
  }
  return errors;
}

/** What is wrong with HEAD, which is GET without a body, and with OPTIONS, which names all methods (RFC 9110 9.3). */
async function methodErrors(target: string, methods: readonly string[], ask: (method: string) => Promise<Response>) {
  const isRead = methods.includes('GET');
  const wanted = [...new Set([...methods, ...(isRead ? ['HEAD'] : []), 'OPTIONS'])].toSorted().join(', ');
  const allow = (await ask('OPTIONS')).headers.get('allow')?.split(/, */).toSorted().join(', ');
  const [get, head] =
    isRead && !methods.includes('HEAD') ? [(await ask('GET')).status, (await ask('HEAD')).status] : [];
  return [
    ...(methods.includes('OPTIONS') || allow === wanted ? [] : [`OPTIONS ${target} allows ${allow}, not ${wanted}`]),
    ...(get === head ? [] : [`HEAD ${target} is answered ${head}, and GET ${get}`]),
  ];
}

/** HEAD and OPTIONS are possible wherever anything is. */
const named = (methods: readonly string[]) => methods.filter((one) => !['HEAD', 'OPTIONS'].includes(one)).toSorted();

/** What authenticates a request. */
function pick({ authorization, ...others }: Readonly<Record<string, string>>): Record<string, string> {
  if (authorization !== undefined) return { authorization };
  const { 'content-type': _, ...rest } = others;
  return rest;
}

/** Whether the path of an operation takes it. */
function isServed(spec: Spec, target: string): boolean {
  const escaped = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return [...spec.operations.values()].some(({ path }) =>
    new RegExp(
      `^${path
        .split(/\{[^}]+\}/)
        .map(escaped)
        .join('[^/]+')}$`,
    ).test(target),
  );
}

/** What is wrong with the body of an error that no operation describes: it is the one that all of them share. */
function errorBody(spec: Spec, what: string, text: string): string[] {
  const schema = spec.root.components && (spec.root.components as { schemas?: Record<string, object> }).schemas?.Error;
  const errors = schema && valueErrors(spec, 'response')(schema, JSON.parse(text));
  return errors ? [`${what} is answered ${text.slice(0, 100)}: ${errors}`] : [];
}
