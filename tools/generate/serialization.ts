import type { BodyKind, Field, Schema, Serialization } from '@petstore/types';
import { defined, type Node, text } from './node.ts';
import { isBinary, type Schemas } from './schemas.ts';
import { stop } from './stops.ts';

type ParameterLocation = Exclude<Field['in'], 'body'>;

const styles: Readonly<Record<ParameterLocation, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Whether parameters can be in this location. */
export function isLocation(location: unknown): location is ParameterLocation {
  return typeof location === 'string' && Object.hasOwn(styles, location);
}

/** The serialization of a parameter, unless it is the default. Stops if OpenAPI leaves it undefined. */
export function serializationOf(
  rules: Node,
  place: ParameterLocation,
  schema: Schema,
  where: string,
  schemas: Schemas,
): Serialization {
  const standard = place === 'path' || place === 'header' ? 'simple' : 'form';
  const style = text(rules.style) ?? standard;
  if (!styles[place].includes(style))
    stop(where, `style '${style}' in ${place}`, `write one of ${styles[place].join(', ')}`);
  const explode = typeof rules.explode === 'boolean' ? rules.explode : style === 'form';
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
      style === standard || (!many && !(place === 'path')) ? undefined : (style as NonNullable<Serialization['style']>),
    explode: explode === (style === 'form') || style === 'deepObject' || !many ? undefined : explode,
    allowReserved: rules.allowReserved === true && place === 'query' ? true : undefined,
  });
}

/** The kind of a body by its media type; undefined if it is not supported. */
export function kindOf(mediaType: string, schema: Schema, schemas: Schemas): BodyKind | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const isText = [...schemas.typesOf(schema)].every((one) => one === 'string' || one === 'null');
  const isEmpty = Object.keys(schema).every((key) => key === 'description');
  if (/^application\/(.+\+)?json$|^text\/json$|^[\w.-]+\/[\w.-]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('multipart/')) return undefined;
  if (isBinary(schema)) return isText || schema.type === undefined ? 'bytes' : undefined;
  if (/^text\/|xml$|yaml$|^application\/(jwt|graphql)$/.test(type)) return isText || isEmpty ? 'text' : undefined;
  return isText || isEmpty ? 'bytes' : undefined;
}
