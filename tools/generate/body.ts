import type { BodyKind, Field, PropertyEncoding, RequestBody, Schema } from '@petstore/types';
import { defined, isNode, mapped, type Node, node, reject, text } from './document.ts';
import { plain, type Schemas } from './schemas.ts';
import { kindOf, serializationOf } from './serialization.ts';

/** The body of an operation, its inputs, and its schema; undefined if the operation has no body. */
export function bodyOf(
  operation: Node,
  at: string,
  parameters: ReadonlyMap<string, Field>,
  schemas: Schemas,
): { body: RequestBody; fields: Readonly<Record<string, Field>>; schema: Schema; description: string } | undefined {
  const bodyAt = `${at}.requestBody`;
  const request = schemas.target(operation.requestBody, bodyAt);
  const chosen = chosenContent(request, bodyAt, schemas);
  if (!chosen) return undefined;
  const { mediaType, content, schema, kind } = chosen;
  const required = request.required === true;
  const properties = kind === 'text' || kind === 'bytes' ? undefined : schemas.propertiesOf(schema);
  if ((kind === 'form' || kind === 'multipart') && !properties && !schemas.typesOf(schema).has('object'))
    reject(
      `${bodyAt}.content.${mediaType}`,
      'the schema of the form is not an object',
      'write an object with named properties',
    );
  const sent = [...(properties?.properties ?? [])].filter(([, one]) => schemas.resolve(one).readOnly !== true);
  // The body is one input, `body`, unless its properties can be inputs: there are some, none has the name of a parameter, and an
  // optional body has no required property.
  const isWhole =
    properties === undefined ||
    sent.length === 0 ||
    sent.some(([name]) => parameters.has(name)) ||
    (!required && sent.some(([name]) => properties.required.has(name)));
  const encoding = encodingOf(content, kind, new Map(sent), `${bodyAt}.content.${mediaType}`, schemas);
  const body = defined<RequestBody>({
    required,
    mediaType: mediaType.replace(/^\*\/\*$/, 'application/octet-stream'),
    kind,
    whole: isWhole ? true : undefined,
    additional: !isWhole && properties.additional ? true : undefined,
    encoding: Object.keys(encoding).length > 0 ? encoding : undefined,
  });
  const parameter = isWhole ? parameters.get('body') : undefined;
  if (parameter)
    reject(
      bodyAt,
      `the whole body is the input 'body', which is also a ${parameter.in} parameter`,
      'rename the parameter',
    );
  const ownDescription = text(request.description)?.trim();
  const description = ownDescription ?? schemas.resolve(schema).description ?? '';
  const fields = isWhole
    ? { body: { in: 'body', required, description, schema } as const }
    : mapped(Object.fromEntries(sent), (one, name) => propertyField(one, properties.required.has(name), schemas));
  return { body, fields, schema, description: ownDescription ?? '' };
}

/** Selects JSON among the media types, else a form, text or bytes; undefined if there is no media type. */
function chosenContent(request: Node, bodyAt: string, schemas: Schemas) {
  const contents = Object.entries(node(request.content)).map(([mediaType, content]) => {
    const schema = plain(node(content).schema, `${bodyAt}.content.${mediaType}.schema`);
    return { mediaType, content: node(content), schema, kind: kindOf(mediaType, schemas.resolve(schema), schemas) };
  });
  if (contents.length === 0) return undefined;
  const preferred: BodyKind[] = ['json', 'multipart', 'form', 'text', 'bytes'];
  const [chosen] = preferred.flatMap((kind) =>
    contents.flatMap((one) => (one.kind === kind ? [{ ...one, kind }] : [])),
  );
  if (!chosen)
    reject(
      `${bodyAt}.content`,
      `clients cannot send a body as ${contents.map(({ mediaType }) => mediaType).join(' or ')}`,
      'add application/json, or a schema of type string',
    );
  if (chosen.kind === 'json' && chosen.mediaType.includes('*'))
    reject(`${bodyAt}.content`, `the JSON body has the media type ${chosen.mediaType}`, 'write application/json');
  return chosen;
}

/** The input for a property of the body. */
function propertyField(schema: Schema, required: boolean, schemas: Schemas): Field {
  const { description = '', deprecated } = schemas.resolve(schema);
  return defined<Field>({ in: 'body', required, description, deprecated: deprecated ? true : undefined, schema });
}

/** The encodings of a form's properties that are not the default. */
function encodingOf(
  content: Node,
  kind: BodyKind,
  properties: ReadonlyMap<string, Schema>,
  at: string,
  schemas: Schemas,
) {
  const found: Record<string, PropertyEncoding> = {};
  if (kind !== 'form' && kind !== 'multipart') return found;
  for (const [name, rules] of Object.entries(node(content.encoding))) {
    if (!isNode(rules)) continue;
    const propertyAt = `${at}.encoding.${name}`;
    const schema = properties.get(name);
    const isStyled = rules.style !== undefined || rules.explode !== undefined || rules.allowReserved !== undefined;
    if (kind === 'multipart' && !isStyled) {
      const headers = partHeaders(rules, propertyAt, schemas);
      const contentType = text(rules.contentType);
      if (contentType ?? headers) found[name] = defined<PropertyEncoding>({ contentType, headers });
    } else if (isStyled && schema) {
      // OpenAPI ignores contentType beside a style.
      const how = serializationOf(rules, 'query', schema, propertyAt, schemas);
      // An explicit style replaces the JSON of an object.
      found[name] = { style: 'form', ...how };
    } else if (
      text(rules.contentType) !== undefined &&
      !/^(text\/plain|application\/json)$/.test(String(rules.contentType))
    )
      reject(propertyAt, `the form property has the media type ${rules.contentType}`, 'use application/json');
    else if (rules.contentType === 'application/json') found[name] = { contentType: 'application/json' };
  }
  return found;
}

/** The headers of a part. No input sets a header, so each header needs a fixed value. */
function partHeaders(encoding: Node, at: string, schemas: Schemas): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [name, rules] of Object.entries(node(encoding.headers))) {
    // OpenAPI ignores Content-Type here, and Content-Disposition contains the name of the part, so clients set both.
    if (/^content-(type|disposition)$/i.test(name)) continue;
    const header = schemas.target(rules, `${at}.headers.${name}`);
    const { const: only, default: defaultValue } = schemas.resolve(
      plain(header.schema, `${at}.headers.${name}.schema`),
    );
    const value = only ?? defaultValue;
    if (value === undefined && header.required === true)
      reject(`${at}.headers.${name}`, 'the part header has no fixed value', 'write const in its schema');
    if (value !== undefined) found[name.toLowerCase()] = String(value);
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
