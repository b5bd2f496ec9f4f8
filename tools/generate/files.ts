import { type Document, isData, isNode, mapped, node, resolvePointer } from './document.ts';
import { isJson } from './serialization.ts';

/** Turns file schemas into text schemas, because JSON cannot contain bytes. Those that another media type uses, also by reference, stay. */
export function withoutFilesInJson(document: Document): Document {
  const outsideJson = new Set<string>();
  const collect = (value: unknown, allowsFiles = false, parent = ''): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = node(value);
    if (allowsFiles && typeof $ref === 'string' && !outsideJson.has($ref)) {
      outsideJson.add($ref);
      collect(resolvePointer(document, $ref.slice(1)), true);
    }
    for (const [key, child] of Object.entries(value)) collect(child, allowsFilesBelow(key, parent, allowsFiles), key);
  };
  collect(document);
  const changed = (value: unknown, allowsFiles: boolean, at = '#', parent = ''): unknown => {
    if (Array.isArray(value)) return value.map((element) => changed(element, allowsFiles));
    if (!isNode(value)) return value;
    return mapped(fileSchema(value, allowsFiles), (child, key) => {
      const pointer = `${at}/${key}`;
      return isData(key)
        ? child
        : changed(child, allowsFilesBelow(key, parent, allowsFiles) || outsideJson.has(pointer), pointer, key);
    });
  };
  return node(changed(document, false));
}

/** Whether a value is below a media type that is not JSON. */
function allowsFilesBelow(key: string, parent: string, allowsFiles: boolean): boolean {
  return parent === 'content' && key.includes('/') ? !isJson(key) : allowsFiles;
}

/** Removes the encoding `binary`, which means plain bytes. In JSON, also removes the keywords of a file, so it becomes text. */
function fileSchema({ ...schema }: Record<string, unknown>, allowsFiles: boolean): Record<string, unknown> {
  if (schema.contentEncoding === 'binary') {
    delete schema.contentEncoding;
    schema.contentMediaType ??= 'application/octet-stream';
  }
  if (allowsFiles) return schema;
  if (schema.format === 'binary') delete schema.format;
  const { contentMediaType, contentEncoding } = schema;
  if (typeof contentMediaType === 'string' && contentEncoding === undefined) delete schema.contentMediaType;
  return schema;
}
