/** How many pieces of work are under way at a time, unless somebody says otherwise. */
export const DEFAULT_CONCURRENCY = 8;

/** How many pieces of work may be under way at a time, and whether their results keep the order of the inputs. */
export interface WindowOptions {
  readonly concurrency: number;
  readonly isOrdered: boolean;
}

/**
 * Starts work for each input as it comes, and gives each result as soon as there is one. A slow source holds no result
 * back, and slow work holds back no more inputs than may be under way. Work never rejects; when the source does, what is
 * under way is still given.
 */
export async function* inWindow<Input, Result>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Result>,
  { concurrency, isOrdered }: WindowOptions,
): AsyncGenerator<Result> {
  const source = inputs[Symbol.asyncIterator]();
  type Read = { readonly next: IteratorResult<Input> } | { readonly failure: unknown };
  const read = (): Promise<Read> =>
    source.next().then(
      (next) => ({ next }),
      (failure: unknown) => ({ failure }),
    );
  /** By their numbers, the oldest first. */
  const running = new Map<number, Promise<{ readonly number: number; readonly result: Result }>>();
  let [reading, isOpen, count] = [read(), true, 0];
  let failed: { readonly failure: unknown } | undefined;
  while (isOpen || running.size > 0) {
    const mayStart = isOpen && running.size < concurrency;
    const awaited = isOrdered ? [...running.values()].slice(0, 1) : [...running.values()];
    const step = await Promise.race([...(mayStart ? [reading] : []), ...awaited]);
    if ('result' in step) {
      running.delete(step.number);
      yield step.result;
    } else if ('failure' in step) {
      [failed, isOpen] = [step, false];
    } else if (step.next.done) {
      isOpen = false;
    } else {
      const number = count++;
      running.set(
        number,
        work(step.next.value).then((result) => ({ number, result })),
      );
      reading = read();
    }
  }
  if (failed) throw failed.failure;
}
