// The documentation of the client's methods, as editors show it.
import type { Operation } from '@petstore/types';

/** The lines of a method's comment. Its parts are apart by an empty line. */
export function docOf(operation: Operation): string[] {
  const { summary, description, stability, idempotencyKey } = operation;
  const parts = [summary];
  if (description !== '') parts.push(description);
  if (stability) parts.push(`Stability: ${stability}.`);
  if (idempotencyKey)
    parts.push('The client sends an idempotency key by itself: one for all attempts of a call.');
  if (!isRepeatable(operation))
    parts.push(
      'The client does not retry it, because it takes no idempotency key and would not be safe to repeat.',
    );
  parts.push(`@returns ${resultOf(operation)}`);
  if (operation.deprecated) parts.push(deprecationOf(operation));
  const text = parts.join('\n\n');
  return text.replaceAll('*/', '*\\/').split('\n');
}

/** The same for a call that asks whether the result has changed. */
export function conditionalDocOf(operation: Operation): string[] {
  const lines = [
    `${operation.summary}, if the result has changed since the one with the \`ETag\` in \`if-none-match\`.`,
    '',
    '@returns `undefined` if nothing has changed.',
  ];
  return operation.deprecated ? [...lines, '', deprecationOf(operation)] : lines;
}

function isRepeatable({ idempotencyKey, method }: Operation): boolean {
  return idempotencyKey !== undefined || ['GET', 'PUT', 'DELETE'].includes(method);
}

function resultOf({ pagination, successes, responses }: Operation): string {
  if (pagination)
    return 'With `await`, the first page. With `for await`, every element. With `.pages()`, the pages one by one. With `.collect()`, all elements as one array.';
  return successes.map((status) => responses[status]?.description).join(' Or: ');
}

function deprecationOf({ deprecatedSince, sunset, successor }: Operation): string {
  const sentences = ['@deprecated'];
  if (deprecatedSince) sentences.push(`since ${deprecatedSince}.`);
  if (sunset) sentences.push(`It will be removed on ${sunset}.`);
  if (successor) sentences.push(`Use \`${successor}\` instead.`);
  return sentences.join(' ');
}
