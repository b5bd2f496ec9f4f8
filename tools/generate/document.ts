import { createHash } from 'node:crypto';
import { parse } from 'yaml';

/** The spec as a module: the parsed document for whoever needs all of it, and the digest of the text it was made from. */
export function documentModule(header: string, specText: string): string {
  const digest = createHash('sha256').update(specText).digest('hex');
  return `${header}

/** The SHA-256 of the spec/openapi.yaml that the code was generated from. */
export const specDigest = '${digest}';

/** The whole spec, parsed. */
export const openApiDocument: object = ${JSON.stringify(parse(specText), null, 2)};
`;
}
