// What goes into an operation: its parameters, and its body.
import type {
  BodyKind,
  Field,
  IdempotencyKey,
  PropertyEncoding,
  RequestBody,
  Schema,
  Serialization,
} from '@petstore/types';
import { defined, isNode, list, type Node, node, text } from './node.ts';
import { isBinary, plain, type Schemas } from './schemas.ts';
import { type Stops, stop } from './stops.ts';

type Place = Exclude<Field['in'], 'body'>;

const styles: Readonly<Record<Place, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** The parameters of an operation by name, those of its path included. */
export function parametersOf(
  path: Node,
  operation: Node,
  place: string,
  schemas: Schemas,
  stops: Stops,
): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const parameter of parameterNodes(path, operation, place, schemas, stops)) {
    const name = String(parameter.name);
    if (isIdempotencyKey(parameter)) continue;
    // OpenAPI says of these that a parameter has no effect: the media types and the security say them.
    if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(name)) continue;
    const where = `${place}.parameters.${name}`;
    const other = fields.get(name)?.in;
    stops.try(() => {
      if (other !== undefined)
        stop(
          where,
          `'${name}' is a ${other} parameter and a ${parameter.in} parameter`,
          'rename one, because inputs stand side by side',
        );
      fields.set(name, fieldOf(parameter, where, schemas));
    });
  }
  return fields;
}

/** The parameters as the document has them; those of the operation take the place of its path's. */
function parameterNodes(path: Node, operation: Node, place: string, schemas: Schemas, stops: Stops): Iterable<Node> {
  const byPlace = new Map<string, Node>();
  for (const one of [...list(path.parameters), ...list(operation.parameters)]) {
    const parameter = stops.try(() => schemas.target(one, `${place}.parameters`));
    if (parameter) byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return byPlace.values();
}

const isIdempotencyKey = (parameter: Node) => parameter['x-idempotency-key'] === true;

/** The header that is the key under which the operation is done once. It is no input: whoever calls makes one by itself. */
export function idempotencyKeyOf(
  path: Node,
  operation: Node,
  method: string,
  place: string,
  schemas: Schemas,
  stops: Stops,
): IdempotencyKey | undefined {
  const [parameter, other] = [...parameterNodes(path, operation, place, schemas, stops)].filter(isIdempotencyKey);
  if (!parameter) return undefined;
  const where = `${place}.parameters.${parameter.name}`;
  if (other) stop(where, `there is another idempotency key, '${other.name}'`, 'write one');
  if (parameter.in !== 'header') stop(where, `an idempotency key in '${parameter.in}'`, 'write in: header');
  if (parameter.required === true)
    stop(where, 'an idempotency key that is required', 'leave required out, because its callers may not repeat');
  if (/^(get|head|options|trace)$/.test(method))
    stop(where, `an idempotency key with ${method.toUpperCase()}`, 'remove it, because nothing is changed');
  const schema = plain(parameter.schema, `${where}.schema`);
  if ([...schemas.typesOf(schema)].join() !== 'string')
    stop(`${where}.schema`, 'an idempotency key that is no string', 'write type: string');
  return { header: String(parameter.name), description: text(parameter.description)?.trim() ?? '', schema };
}

function fieldOf(parameter: Node, where: string, schemas: Schemas): Field {
  const place = parameter.in as Place;
  if (!Object.hasOwn(styles, place))
    stop(where, `a parameter in '${parameter.in}'`, 'write path, query, header or cookie');
  const [content, ...others] = Object.entries(node(parameter.content));
  if (others.length > 0) stop(where, 'a parameter with several media types', 'write one');
  const schema = plain(content ? node(content[1]).schema : parameter.schema, `${where}.schema`);
  const { description, deprecated, ...rules } = schemas.resolve(schema);
  const contentType = content?.[0];
  if (contentType !== undefined && kindOf(contentType, rules, schemas) !== 'json')
    stop(`${where}.content`, `a parameter as ${contentType}`, 'write application/json, or a schema and a style');
  return defined<Field>({
    in: place,
    required: parameter.required === true || place === 'path',
    description: text(parameter.description)?.trim() ?? description ?? '',
    deprecated: parameter.deprecated === true || deprecated ? true : undefined,
    contentType,
    ...(contentType === undefined && serializationOf(parameter, place, schema, where, schemas)),
    schema,
  });
}

/** What is said of the serialization, where it is not the default of the place. Stops at what OpenAPI leaves undefined. */
function serializationOf(said: Node, place: Place, schema: Schema, where: string, schemas: Schemas): Serialization {
  const usual = place === 'path' || place === 'header' ? 'simple' : 'form';
  const style = text(said.style) ?? usual;
  if (!styles[place].includes(style))
    stop(where, `style '${style}' in ${place}`, `write one of ${styles[place].join(', ')}`);
  const explode = typeof said.explode === 'boolean' ? said.explode : style === 'form';
  if (!schemas.isFlat(schema))
    stop(
      where,
      `a list or an object with more than single values in it, as style '${style}'`,
      'write content: application/json',
    );
  const types = schemas.typesOf(schema);
  const many = types.has('array') || types.has('object');
  if (style === 'deepObject' && types.has('array') && !types.has('object'))
    stop(where, 'a list as deepObject, which OpenAPI leaves undefined', 'write style: form');
  if (style.endsWith('Delimited') && explode)
    stop(where, `${style} with explode: true, which OpenAPI leaves undefined`, 'write explode: false, or style: form');
  if (place === 'cookie' && explode && many) stop(where, 'a list or an object in a cookie', 'write explode: false');
  return defined<Serialization>({
    style:
      style === usual || (!many && !(place === 'path')) ? undefined : (style as NonNullable<Serialization['style']>),
    explode: explode === (style === 'form') || style === 'deepObject' || !many ? undefined : explode,
    allowReserved: said.allowReserved === true && place === 'query' ? true : undefined,
  });
}

/** The body of an operation, and the inputs that it is. */
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
  const said = text(request.description)?.trim();
  const fields = new Map<string, Field>();
  if (isWhole) {
    const parameter = parameters.get('body');
    if (parameter)
      stop(
        where,
        `the body is one input called 'body', and there is a ${parameter.in} parameter of that name`,
        'rename the parameter',
      );
    const description = said ?? schemas.resolve(schema).description ?? '';
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
  return { body, fields, schema, description: said ?? '' };
}

/** How a body of a media type is written; nothing where it cannot be. */
export function kindOf(mediaType: string, schema: Schema, schemas: Schemas): BodyKind | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const isText = [...schemas.typesOf(schema)].every((one) => one === 'string' || one === 'null');
  const saysNothing = Object.keys(schema).every((key) => key === 'description');
  if (/^application\/(.+\+)?json$|^text\/json$|^[\w.-]+\/[\w.-]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('multipart/')) return undefined;
  if (isBinary(schema)) return isText || schema.type === undefined ? 'bytes' : undefined;
  if (/^text\/|xml$|yaml$|^application\/(jwt|graphql)$/.test(type)) return isText || saysNothing ? 'text' : undefined;
  return isText || saysNothing ? 'bytes' : undefined;
}

/** What the encoding of a form says, where it is not the default. */
function encodingOf(
  content: Node,
  kind: BodyKind,
  properties: ReadonlyMap<string, Schema>,
  where: string,
  schemas: Schemas,
) {
  const found: Record<string, PropertyEncoding> = {};
  if (kind !== 'form' && kind !== 'multipart') return found;
  for (const [name, said] of Object.entries(node(content.encoding))) {
    if (!isNode(said)) continue;
    const here = `${where}.encoding.${name}`;
    const schema = properties.get(name);
    const isStyled = said.style !== undefined || said.explode !== undefined || said.allowReserved !== undefined;
    if (kind === 'multipart' && !isStyled) {
      const headers = partHeaders(said, here, schemas);
      const contentType = text(said.contentType);
      if (contentType ?? headers) found[name] = defined<PropertyEncoding>({ contentType, headers });
    } else if (isStyled && schema) {
      const how = serializationOf(said, 'query', schema, here, schemas);
      // That a style is said at all takes the place of JSON for an object.
      found[name] = { style: 'form', ...how };
    } else if (
      text(said.contentType) !== undefined &&
      !/^(text\/plain|application\/json)$/.test(String(said.contentType))
    )
      stop(here, `a value as ${said.contentType} in a form`, 'write application/json');
    else if (said.contentType === 'application/json') found[name] = { contentType: 'application/json' };
  }
  return found;
}

/** The headers of a part that can have only one value: no input says another. */
function partHeaders(encoding: Node, where: string, schemas: Schemas): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [name, said] of Object.entries(node(encoding.headers))) {
    // OpenAPI ignores the one, and the other is the part's own name.
    if (/^content-(type|disposition)$/i.test(name)) continue;
    const header = schemas.target(said, `${where}.headers.${name}`);
    const { const: only, default: usual } = schemas.resolve(plain(header.schema, `${where}.headers.${name}.schema`));
    const value = only ?? usual;
    if (value === undefined && header.required === true)
      stop(`${where}.headers.${name}`, 'a header of a part that can have several values', 'write const in its schema');
    if (value !== undefined) found[name.toLowerCase()] = String(value);
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
