import type { Chart } from './section.ts';

const [width, left, right, top] = [760, 150, 60, 86];
const [bar, gap, heading] = [16, 5, 30];

/** Colours for light and for dark pages; nothing is loaded from anywhere. */
const style = `
  text { font: 12px -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #57606a; }
  .title { font-size: 16px; font-weight: 600; fill: #1f2328; }
  .group { font-size: 13px; font-weight: 600; fill: #1f2328; }
  .other { fill: #afb8c1; }
  .ours { fill: #0969da; }
  .grid { stroke: #d1d9e0; }
  .limit { stroke: #57606a; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title, .group { fill: #f0f6fc; }
    .other { fill: #656c76; }
    .ours { fill: #4493f8; }
    .grid { stroke: #3d444d; }
    .limit { stroke: #9198a1; }
  }`;

/** Horizontal bars as an SVG of its own, ours in another colour, with a line where 1 is. */
export function svgOf({ title, axis, groups }: Chart): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value)).filter(Number.isFinite);
  const most = Math.ceil(Math.max(1, ...values) * 4) / 4;
  const x = (value: number) => left + (value / most) * (width - left - right);
  const parts: string[] = [];
  let y = top;
  for (const group of groups) {
    parts.push(text(16, y + 14, group.name, 'group'));
    y += heading;
    for (const { name, value } of group.bars) {
      const kind = name === 'ours' ? 'ours' : 'other';
      const length = Number.isFinite(value) ? Math.max(1, x(value) - left) : 0;
      parts.push(
        text(left - 8, y + 12, name, '', 'end'),
        `<rect class="${kind}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${bar}" rx="2"/>`,
        text(left + length + 6, y + 12, value.toFixed(value < 0.1 ? 3 : 2)),
      );
      y += bar + gap;
    }
    y += 10;
  }
  const ticks = Array.from({ length: most * 4 + 1 }, (_, i) => i / 4);
  const grid = ticks.flatMap((tick) => [
    `<line class="${tick === 1 ? 'limit' : 'grid'}" x1="${x(tick)}" x2="${x(tick)}" y1="${top - 6}" y2="${y}"/>`,
    text(x(tick), y + 18, String(tick), '', 'middle'),
  ]);
  const height = y + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${style}
</style>
${[
  text(16, 28, title, 'title'),
  text(16, 50, axis),
  `<rect class="ours" x="16" y="60" width="12" height="12" rx="2"/>`,
  text(33, 70, 'the shipped server'),
  `<rect class="other" x="160" y="60" width="12" height="12" rx="2"/>`,
  text(177, 70, 'others'),
  ...grid,
  ...parts,
].join('\n')}
</svg>
`;
}

function text(x: number, y: number, content: string, kind = '', anchor = 'start'): string {
  const attributes = `${kind && ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`;
  return `<text x="${Number(x.toFixed(1))}" y="${y}"${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
