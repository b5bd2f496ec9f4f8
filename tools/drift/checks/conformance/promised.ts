import { type Operation, resolve } from '../../../openapi/document.ts';
import { basePathOf, type Node, node, type Spec } from '../../openapi.ts';

/** What is wrong with the headers of a response, and with the code of an Error, where the spec says which they have to be. */
export function promiseErrors(spec: Spec, operation: Operation, response: Response, body: unknown): string[] {
  return [
    ...deprecationErrors(spec, operation, response),
    ...(response.status === 401 ? challengeErrors(spec, operation, response) : []),
    ...(response.status >= 400 ? codeErrors(spec, response.status, body) : []),
  ];
}

/** A deprecated operation says since when, until when, and what to use instead. */
function deprecationErrors(spec: Spec, { object }: Operation, { headers }: Response): string[] {
  const { 'x-sunset': sunset, 'x-deprecated-since': since, 'x-successor': successor } = node(object);
  const expected: [header: string, value: string | undefined][] = [
    ['sunset', typeof sunset === 'string' ? new Date(sunset).toUTCString() : undefined],
    ['deprecation', typeof since === 'string' ? `@${Date.parse(since) / 1000}` : undefined],
  ];
  const wrong = expected.filter(([name, value]) => value !== undefined && headers.get(name) !== value);
  const path = [...spec.operations.values()].find(({ id }) => id === successor)?.path;
  const link = path === undefined ? undefined : `<${basePathOf(spec)}${path}>; rel="successor-version"`;
  return [
    ...wrong.map(([name, value]) => `header ${name} is '${headers.get(name)}', not '${value}'`),
    ...(link === undefined || headers.get('link')?.includes(link)
      ? []
      : [`header link is '${headers.get('link')}', without ${link}`]),
  ];
}

/** A challenge names a scheme of the operation (RFC 9110 11.6.1). */
function challengeErrors(spec: Spec, { security }: Operation, { headers }: Response): string[] {
  const schemes = node(spec.root.components?.securitySchemes);
  const names = security
    .flatMap((all) => Object.keys(all))
    .flatMap((name) => {
      const { type, scheme } = node(resolve(spec, node(schemes[name])));
      if (type === 'http') return [String(scheme)];
      return type === 'oauth2' || type === 'openIdConnect' ? ['Bearer'] : [];
    });
  const challenge = headers.get('www-authenticate') ?? '';
  const isNamed = (name: string) =>
    challenge
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(name.toLowerCase());
  return names
    .filter((name) => !isNamed(name))
    .map((name) => `header www-authenticate is '${challenge}', without ${name}`);
}

/** The code of an Error is one of its status, where `x-statuses` gives the status any. */
function codeErrors({ model }: Spec, status: number, body: unknown): string[] {
  const { code } = node(body);
  const statuses: Readonly<Record<string, number | undefined>> = model.service.statuses;
  const codes = Object.keys(statuses).filter((one) => statuses[one] === status);
  // What a service does not know itself it answers as a fault, whatever the status.
  const isFault = status >= 500 && statuses[String(code)] === 500;
  return codes.length === 0 || typeof code !== 'string' || codes.includes(code) || isFault
    ? []
    : [`code is ${code}, and status ${status} has ${codes.join(' or ')}`];
}

/** Who is told to come back is told when, where the spec declares `Retry-After`. */
export function retryErrors(declared: Node, { status, headers }: Response): string[] {
  const isDeclared = Object.keys(declared).some((name) => name.toLowerCase() === 'retry-after');
  return isDeclared && [429, 503].includes(status) && !headers.has('retry-after')
    ? ['header retry-after is missing']
    : [];
}
