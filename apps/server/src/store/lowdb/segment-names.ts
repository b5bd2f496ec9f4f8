/** The file of a segment: `json` once it is sealed, `jsonl` before. */
export function segmentFile(number: number, sealed: boolean): string {
  return `${String(number).padStart(10, '0')}.${sealed ? 'json' : 'jsonl'}`;
}

/** What the name of a segment's file says. */
export function segmentName(file: string): { number: number; sealed: boolean } | undefined {
  const [, number, form] = /^(\d{10})\.(jsonl?)$/.exec(file) ?? [];
  return number === undefined ? undefined : { number: Number(number), sealed: form === 'json' };
}

/** Whether the file is an unfinished one that a crash left behind. */
export const isUnfinished = (file: string) => /^\d{10}\.json\.tmp$/.test(file);
