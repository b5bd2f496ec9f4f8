import {
  type BodyKind,
  type Field,
  isBinary,
  type PropertyEncoding,
  type RequestBody,
  type Schema,
} from '@petstore/types';
import { defined, mapped, type Node, node, nonEmpty, reject, text } from './document.ts';
import { type Schemas, supportedSchema } from './schemas.ts';
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
  const contentAt = `${bodyAt}.content.${mediaType}`;
  const required = request.required === true;
  const isForm = kind === 'form' || kind === 'multipart';
  const object = isForm || kind === 'json' ? schemas.propertiesOf(schema) : undefined;
  if (isForm && !object && !schemas.typesOf(schema).has('object'))
    reject(contentAt, 'the schema of the form is not an object', 'write an object with named properties');
  const sendable = [...(object?.properties ?? [])].filter(([, property]) => !schemas.resolve(property).readOnly);
  // The properties are the inputs if there are any, none has the name of a parameter, and an optional body requires none of them.
  // Otherwise the whole body is one input, `body`.
  const isWhole =
    object === undefined ||
    sendable.length === 0 ||
    sendable.some(([name]) => parameters.has(name)) ||
    (!required && sendable.some(([name]) => object.required.has(name)));
  const body = defined<RequestBody>({
    required,
    mediaType: mediaType === '*/*' ? 'application/octet-stream' : mediaType,
    kind,
    whole: isWhole ? true : undefined,
    additional: !isWhole && object.additional ? true : undefined,
    encoding: isForm ? encodingsOf(content, kind, new Map(sendable), contentAt, schemas) : undefined,
  });
  const parameter = isWhole ? parameters.get('body') : undefined;
  if (parameter) {
    const problem = `the whole body is the input 'body', which is also a ${parameter.in} parameter`;
    reject(bodyAt, problem, 'rename the parameter');
  }
  const ownDescription = text(request.description)?.trim();
  const description = ownDescription ?? schemas.resolve(schema).description ?? '';
  const fields: Record<string, Field> = isWhole
    ? { body: { in: 'body', required, description, schema } }
    : mapped(Object.fromEntries(sendable), (property, name) =>
        propertyField(property, object.required.has(name), schemas),
      );
  return { body, fields, schema, description: ownDescription ?? '' };
}

const preferredKinds: readonly BodyKind[] = ['json', 'multipart', 'form', 'text', 'bytes'];

/** Selects a form with files among the media types, else JSON, a form, text or bytes; undefined if there is no media type. */
function chosenContent(request: Node, bodyAt: string, schemas: Schemas) {
  const mediaTypes = Object.entries(node(request.content));
  if (mediaTypes.length === 0) return undefined;
  const supported = mediaTypes.flatMap(([mediaType, value]) => {
    const content = node(value);
    const schema = supportedSchema(content.schema, `${bodyAt}.content.${mediaType}.schema`);
    const kind = kindOf(mediaType, schemas.resolve(schema), schemas);
    return kind ? [{ mediaType, content, schema, kind }] : [];
  });
  const form = supported.find(({ kind, schema }) => kind === 'multipart' && schemas.some(schema, isBinary));
  const [preferred] = preferredKinds.flatMap((kind) => supported.filter((content) => content.kind === kind));
  const chosen = form ?? preferred;
  if (!chosen) {
    const problem = `clients cannot send a body as ${mediaTypes.map(([mediaType]) => mediaType).join(' or ')}`;
    reject(`${bodyAt}.content`, problem, 'add application/json, or a schema of type string');
  }
  if (chosen.kind === 'json' && chosen.mediaType.includes('*'))
    reject(`${bodyAt}.content`, `the JSON body has the media type ${chosen.mediaType}`, 'write application/json');
  return chosen;
}

/** The input for a property of the body. */
function propertyField(schema: Schema, required: boolean, schemas: Schemas): Field {
  const { description = '', deprecated } = schemas.resolve(schema);
  return defined<Field>({ in: 'body', required, description, deprecated: deprecated ? true : undefined, schema });
}

/** The encodings of a form's properties that are not the default; undefined if all are the default. */
function encodingsOf(
  content: Node,
  kind: BodyKind,
  properties: ReadonlyMap<string, Schema>,
  at: string,
  schemas: Schemas,
): Record<string, PropertyEncoding> | undefined {
  const encodings = mapped(node(content.encoding), (encoding, name) =>
    encodingOf(node(encoding), kind, properties.get(name), `${at}.encoding.${name}`, schemas),
  );
  return nonEmpty(defined<Record<string, PropertyEncoding>>(encodings));
}

/** The encoding of a property; undefined if it is the default. */
function encodingOf(
  encoding: Node,
  kind: BodyKind,
  schema: Schema | undefined,
  at: string,
  schemas: Schemas,
): PropertyEncoding | undefined {
  const contentType = text(encoding.contentType);
  const isStyled = ['style', 'explode', 'allowReserved'].some((keyword) => encoding[keyword] !== undefined);
  // OpenAPI ignores contentType beside a style. The default style is written, too: without a style, an object is sent as JSON.
  if (isStyled && schema) return { style: 'form', ...serializationOf(encoding, 'query', schema, at, schemas) };
  if (kind === 'multipart' && !isStyled)
    return nonEmpty(defined<PropertyEncoding>({ contentType, headers: partHeaders(encoding, at, schemas) }));
  if (contentType === undefined || contentType === 'text/plain') return undefined;
  if (contentType !== 'application/json')
    reject(at, `the form property has the media type ${contentType}`, 'use application/json');
  return { contentType };
}

/** The headers of a part. No input sets a header, so each header needs a fixed value. */
function partHeaders(encoding: Node, at: string, schemas: Schemas): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  for (const [name, declared] of Object.entries(node(encoding.headers))) {
    // OpenAPI ignores Content-Type here, and Content-Disposition contains the name of the part, so clients set both.
    if (/^content-(type|disposition)$/i.test(name)) continue;
    const headerAt = `${at}.headers.${name}`;
    const header = schemas.target(declared, headerAt);
    const schema = schemas.resolve(supportedSchema(header.schema, `${headerAt}.schema`));
    const value = schema.const ?? schema.default;
    if (value !== undefined) values[name.toLowerCase()] = String(value);
    else if (header.required === true)
      reject(headerAt, 'the part header has no fixed value', 'write const in its schema');
  }
  return nonEmpty(values);
}
