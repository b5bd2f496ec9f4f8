// Reads from the spec: title and version, servers, error codes, security schemes, and the security of operations.
import type { SecurityScheme } from '@petstore/types';
import { kebab } from 'petctl/names';
import { type Document, defined, list, mapped, type Node, node, reject, resolvePointer, text } from './document.ts';
import type { Schemas } from './schemas.ts';

/** What the OpenAPI document says about the service as a whole. */
export interface Service {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  /** The URLs of the servers, by name. */
  readonly deployments: Readonly<Record<string, string>>;
  /** The path before every path of the interface, such as `/v1`: the path of the first server's URL. */
  readonly basePath: string;
  /** The HTTP status of each error code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The names of the headers that any response of any operation has. */
  readonly responseHeaders: readonly string[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The scheme whose credential is the client's option `apiKey`. */
  readonly keyScheme?: string;
  /** The default security of operations: alternatives, each a set of schemes that are required together. */
  readonly security: readonly (readonly string[])[];
}

/** Reads the parts of the service from the document. */
export function serviceOf(
  document: Document,
  securitySchemes: Service['securitySchemes'],
  security: Service['security'],
  responseHeaders: readonly string[],
): Service {
  const { title, version, summary, description } = node(document.info);
  const [firstLine = ''] = (text(description) ?? '').trim().split('\n');
  const deployments = deploymentsOf(document);
  const [firstUrl = '/'] = Object.values(deployments);
  if (!URL.canParse(firstUrl, 'http://localhost'))
    reject('servers.0', `the server URL '${firstUrl}' is invalid`, 'write a URL or a path');
  const codes = node(resolvePointer(document, '/components/schemas/ErrorCode'));
  return defined<Service>({
    title: String(title ?? ''),
    version: String(version ?? ''),
    summary: text(summary) ?? firstLine,
    statuses: node(codes['x-statuses']) as Record<string, number>,
    responseHeaders: [...new Set(responseHeaders)].toSorted(),
    deployments,
    basePath: new URL(firstUrl, 'http://localhost').pathname.replace(/\/$/, ''),
    securitySchemes,
    keyScheme: keyScheme(document, securitySchemes),
    security,
  });
}

/** The security schemes of the service by name. A scheme that clients do not support has the type `other`. */
export function schemesOf(document: Document, schemas: Schemas): Record<string, SecurityScheme> {
  return mapped(node(resolvePointer(document, '/components/securitySchemes')), (value, name) =>
    schemeOf(schemas.target(value, `components.securitySchemes.${name}`)),
  );
}

function schemeOf({ type, scheme, in: location, name }: Record<string, unknown>): SecurityScheme {
  if (type === 'apiKey' && (location === 'header' || location === 'query' || location === 'cookie'))
    return { type: 'apiKey', in: location, name: String(name) };
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'bearer' };
  if (type === 'mutualTLS') return { type };
  const httpScheme = type === 'http' ? text(scheme)?.toLowerCase() : undefined;
  return { type: httpScheme === 'bearer' || httpScheme === 'basic' ? httpScheme : 'other' };
}

/** The alternatives of a `security` field, the anonymous one last. Empty if no request needs a credential. */
export function securityOf(security: unknown, at: string, schemes: Service['securitySchemes']): string[][] {
  const alternatives = list(security).map((requirement) => Object.keys(node(requirement)));
  const names = [...new Set(alternatives.flat())];
  for (const name of names)
    if (!Object.hasOwn(schemes, name))
      reject(at, `the security scheme '${name}' is not defined`, 'define it in components.securitySchemes');
  const isSupported = (name: string) => schemes[name]?.type !== 'other';
  const supported = alternatives.filter((alternative) => alternative.every(isSupported));
  if (alternatives.length > 0 && supported.length === 0)
    reject(
      at,
      `clients do not support the security schemes '${names.filter((name) => !isSupported(name)).join(', ')}'`,
      'use http bearer or basic, apiKey, oauth2, openIdConnect or mutualTLS',
    );
  // The certificate of mutualTLS belongs to the connection: requests do not send it.
  const credentials = supported.map((alternative) => alternative.filter((name) => schemes[name]?.type !== 'mutualTLS'));
  const withCredential = credentials.filter((names) => names.length > 0);
  const anonymous = credentials.filter((names) => names.length === 0);
  return withCredential.length > 0 ? [...withCredential, ...anonymous] : [];
}

/** The first bearer or apiKey scheme of the document's first default alternative, else of all schemes. */
function keyScheme(document: Document, schemes: Service['securitySchemes']): string | undefined {
  const takesText = (name: string) => /^(bearer|apiKey)$/.test(schemes[name]?.type ?? '');
  const [defaultAlternative] = list(document.security);
  return [...Object.keys(node(defaultAlternative)), ...Object.keys(schemes)].find(takesText);
}

/**
 * The URLs of the servers by name. The name is `x-deployment`, else the description in kebab case if it is short, else
 * `server` and a number.
 */
export function deploymentsOf(document: Document): Record<string, string> {
  const deployments: Record<string, string> = {};
  const declared = list(document.servers).map(node);
  const servers: readonly Node[] = declared.length > 0 ? declared : [{ url: '/' }];
  for (const [i, server] of servers.entries()) {
    const { description, 'x-deployment': explicit } = server;
    const slug = kebab(text(description) ?? '');
    const name = text(explicit) ?? (slug !== '' && slug.length <= 24 ? slug : `server${i + 1}`);
    if (Object.hasOwn(deployments, name))
      reject(`servers.${i}`, `two servers have the name '${name}'`, 'name each server in x-deployment');
    deployments[name] = urlOf(server, `servers.${i}`);
  }
  return deployments;
}

/** The URL of the operation's first server, else of its path item's. Undefined if that is the first server of the document. */
export function serverOf(document: Document, pathItem: Node, operation: Node, at: string): string | undefined {
  const firstServer = ({ servers }: Node) => list(servers)[0];
  const server = firstServer(operation) ?? firstServer(pathItem);
  if (server === undefined) return undefined;
  const url = urlOf(node(server), `${at}.servers.0`);
  const documentUrl = urlOf(node(firstServer(document)), 'servers.0');
  if (!URL.canParse(url) && URL.canParse(documentUrl))
    reject(`${at}.servers.0`, `the server URL '${url}' is relative to this document`, 'write an absolute URL');
  return url === documentUrl ? undefined : url;
}

/** The URL of a server, with the default of each variable. */
function urlOf({ url = '/', variables }: Node, at: string): string {
  return String(url).replace(/\{([^}]+)\}/g, (_, key: string) => {
    const value = node(node(variables)[key]).default;
    if (value === undefined) reject(`${at}.variables`, `the variable '${key}' has no default`, 'declare a default');
    return String(value);
  });
}
