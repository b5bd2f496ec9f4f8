import { type Document, type Operation, resolve, type SecurityScheme } from './document.ts';
import { encodeAll, UnspecifiedError } from './styles.ts';

/** A token or key, or a user with a password, by the name of its security scheme. */
export type Credentials = Record<string, string | { username: string; password: string }>;

/** Every alternative needs a credential, and none is satisfied. */
export class MissingCredentialError extends Error {
  override name = 'MissingCredentialError';
}

interface RequestParts {
  query: string[];
  headers: Record<string, string>;
  cookies: string[];
}

/** Adds the credentials for the first alternative that `credentials` satisfies; `{}` (no credential) comes last. */
export function addCredentials(
  document: Document,
  operation: Operation,
  credentials: Credentials,
  parts: RequestParts,
): void {
  const { security } = operation;
  const satisfied = security.filter((needed) => Object.keys(needed).every((name) => name in credentials));
  if (security.length > 0 && satisfied.length === 0)
    throw new MissingCredentialError(
      `${operation.id} needs ${security.map((each) => Object.keys(each).join(' and ')).join(', or ')}.`,
    );
  const chosen = satisfied.find((needed) => Object.keys(needed).length > 0) ?? {};
  for (const name of Object.keys(chosen)) {
    const scheme = schemesOf(document)[name];
    if (!scheme) throw new Error(`The document has no security scheme ${name}.`);
    addCredential(scheme, credentials[name] ?? '', parts);
  }
}

/** A credential for every security scheme of the document. */
export function exampleCredentials(document: Document): Credentials {
  return Object.fromEntries(
    Object.entries(schemesOf(document)).map(([name, { type, scheme }]) => [
      name,
      type === 'http' && scheme?.toLowerCase() === 'basic'
        ? { username: 'aladdin', password: 'open sesame' }
        : `${name}-secret`,
    ]),
  );
}

function schemesOf(document: Document): Record<string, SecurityScheme> {
  const schemes = document.root.components?.securitySchemes ?? {};
  return Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, resolve(document, scheme)]));
}

function addCredential(scheme: SecurityScheme, credential: Credentials[string], parts: RequestParts): void {
  if (scheme.type === 'mutualTLS') return;
  if (typeof credential === 'object') {
    if (scheme.type !== 'http' || scheme.scheme?.toLowerCase() !== 'basic')
      throw new UnspecifiedError('a password as a token or key');
    const text = `${credential.username}:${credential.password}`;
    parts.headers.authorization = `Basic ${Buffer.from(text).toString('base64')}`;
    return;
  }
  const { type, name = '' } = scheme;
  const isToken = type === 'oauth2' || type === 'openIdConnect' || scheme.scheme?.toLowerCase() === 'bearer';
  if (isToken) parts.headers.authorization = `Bearer ${credential}`;
  else if (type !== 'apiKey') throw new UnspecifiedError(`the security scheme ${type} ${scheme.scheme}`);
  else if (scheme.in === 'header') parts.headers[name.toLowerCase()] = credential;
  else if (scheme.in === 'query') parts.query.push(`${encodeAll(name)}=${encodeAll(credential)}`);
  else parts.cookies.push(`${name}=${credential}`);
}
