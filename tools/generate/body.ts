import type { BodyKind, Field, PropertyEncoding, RequestBody, Schema } from '@petstore/types';
import { defined, isNode, type Node, node, text } from './node.ts';
import { plain, type Schemas } from './schemas.ts';
import { kindOf, serializationOf } from './serialization.ts';
import { stop } from './stops.ts';

/** The body of an operation, and its inputs. */
export function bodyOf(
  operation: Node,
  place: string,
  parameters: ReadonlyMap<string, Field>,
  schemas: Schemas,
): { body: RequestBody; fields: Map<string, Field>; schema: Schema; description: string } | undefined {
  const where = `${place}.requestBody`;
  const request = schemas.target(operation.requestBody, where);
  const contents = Object.entries(node(request.content)).map(([written, content]) => {
    const schema = plain(node(content).schema, `${where}.content.${written}.schema`);
    return { written, content: node(content), schema, kind: kindOf(written, schemas.resolve(schema), schemas) };
  });
  if (contents.length === 0) return undefined;
  const preferred: (BodyKind | undefined)[] = ['json', 'multipart', 'form', 'text', 'bytes'];
  const chosen = preferred.flatMap((kind) => contents.filter((one) => one.kind === kind))[0];
  if (!chosen?.kind)
    stop(
      `${where}.content`,
      `a body as ${contents.map(({ written }) => written).join(' or ')}`,
      'write application/json beside it, or a schema of type string',
    );
  const { written, content, schema, kind } = chosen;
  const required = request.required === true;
  const properties = kind === 'text' || kind === 'bytes' ? undefined : schemas.propertiesOf(schema);
  const sent = [...(properties?.properties ?? [])].filter(([, one]) => schemas.resolve(one).readOnly !== true);
  const isWhole =
    properties === undefined ||
    sent.length === 0 ||
    sent.some(([name]) => parameters.has(name)) ||
    (!required && sent.some(([name]) => properties.required.has(name)));
  if ((kind === 'form' || kind === 'multipart') && !properties && !schemas.typesOf(schema).has('object'))
    stop(`${where}.content.${written}`, 'a form that is no object', 'write an object with named properties');
  const encoding = encodingOf(content, kind, new Map(sent), `${where}.content.${written}`, schemas);
  if (kind === 'json' && /\*/.test(written)) stop(`${where}.content`, `a body as ${written}`, 'write application/json');
  const body = defined<RequestBody>({
    required,
    mediaType: written.replace(/^\*\/\*$/, 'application/octet-stream'),
    kind,
    whole: isWhole ? true : undefined,
    additional: !isWhole && properties.additional ? true : undefined,
    encoding: Object.keys(encoding).length > 0 ? encoding : undefined,
  });
  const declared = text(request.description)?.trim();
  const fields = new Map<string, Field>();
  if (isWhole) {
    const parameter = parameters.get('body');
    if (parameter)
      stop(
        where,
        `the body is one input called 'body', and there is a ${parameter.in} parameter of that name`,
        'rename the parameter',
      );
    const description = declared ?? schemas.resolve(schema).description ?? '';
    fields.set('body', { in: 'body', required, description, schema });
  } else {
    for (const [name, one] of sent) {
      const { description = '', deprecated } = schemas.resolve(one);
      fields.set(
        name,
        defined<Field>({
          in: 'body',
          required: properties?.required.has(name) ?? false,
          description,
          deprecated: deprecated ? true : undefined,
          schema: one,
        }),
      );
    }
  }
  return { body, fields, schema, description: declared ?? '' };
}

/** The encoding of a form, unless it is the default. */
function encodingOf(
  content: Node,
  kind: BodyKind,
  properties: ReadonlyMap<string, Schema>,
  where: string,
  schemas: Schemas,
) {
  const found: Record<string, PropertyEncoding> = {};
  if (kind !== 'form' && kind !== 'multipart') return found;
  for (const [name, rules] of Object.entries(node(content.encoding))) {
    if (!isNode(rules)) continue;
    const here = `${where}.encoding.${name}`;
    const schema = properties.get(name);
    const isStyled = rules.style !== undefined || rules.explode !== undefined || rules.allowReserved !== undefined;
    if (kind === 'multipart' && !isStyled) {
      const headers = partHeaders(rules, here, schemas);
      const contentType = text(rules.contentType);
      if (contentType ?? headers) found[name] = defined<PropertyEncoding>({ contentType, headers });
    } else if (isStyled && schema) {
      const how = serializationOf(rules, 'query', schema, here, schemas);
      // An explicit style replaces the JSON of an object.
      found[name] = { style: 'form', ...how };
    } else if (
      text(rules.contentType) !== undefined &&
      !/^(text\/plain|application\/json)$/.test(String(rules.contentType))
    )
      stop(here, `a value as ${rules.contentType} in a form`, 'write application/json');
    else if (rules.contentType === 'application/json') found[name] = { contentType: 'application/json' };
  }
  return found;
}

/** The headers of a part with a fixed value, because no input can set them. */
function partHeaders(encoding: Node, where: string, schemas: Schemas): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [name, rules] of Object.entries(node(encoding.headers))) {
    // OpenAPI ignores Content-Type here, and Content-Disposition is the part's name.
    if (/^content-(type|disposition)$/i.test(name)) continue;
    const header = schemas.target(rules, `${where}.headers.${name}`);
    const { const: only, default: standard } = schemas.resolve(plain(header.schema, `${where}.headers.${name}.schema`));
    const value = only ?? standard;
    if (value === undefined && header.required === true)
      stop(`${where}.headers.${name}`, 'a header of a part that can have several values', 'write const in its schema');
    if (value !== undefined) found[name.toLowerCase()] = String(value);
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
