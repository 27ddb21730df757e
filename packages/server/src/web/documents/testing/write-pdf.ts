import { deflateSync } from 'node:zlib';

export interface PdfText {
  readonly text: string;
  readonly x?: number;
  /** From the top of the page. */
  readonly y: number;
  readonly size?: number;
  readonly font?: 'body' | 'bold' | 'code';
}

export interface PdfPageContent {
  readonly texts: readonly PdfText[];
  readonly links?: readonly {
    readonly url: string;
    readonly box: readonly [number, number, number, number];
  }[];
}

interface PdfFile {
  readonly title?: string;
  readonly pages: readonly PdfPageContent[];
  /** Titles of the outline, one level. */
  readonly outline?: readonly string[];
  /** Encrypted with an unknown password. */
  readonly isEncrypted?: boolean;
}

const height = 792;
const fonts = { body: 'Times-Roman', bold: 'Helvetica-Bold', code: 'Courier' };

/** Writes a PDF of positioned text lines. */
export function writePdf({ title, pages, outline = [], isEncrypted }: PdfFile): Buffer {
  const file = new PdfWriter();
  const fontList = Object.entries(fonts)
    .map(([name, base]) => `/${name} ${file.add(`<< /Type /Font /Subtype /Type1 /BaseFont /${base} >>`)} 0 R`)
    .join(' ');
  const root = file.reserve();
  const tree = file.reserve();
  const kids = pages.map(({ texts, links = [] }) => {
    const content = file.addStream(contentOf(texts));
    const annotations = links.map(({ url, box: [left, top, right, bottom] }) =>
      file.add(
        `<< /Type /Annot /Subtype /Link /Rect [${left} ${height - bottom} ${right} ${height - top}] /A << /S /URI /URI (${escaped(url)}) >> >>`,
      ),
    );
    return file.add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 ${height}] /Contents ${content} 0 R /Resources << /Font << ${fontList} >> >> /Annots [${annotations.map((id) => `${id} 0 R`).join(' ')}] >>`,
    );
  });
  file.put(
    tree,
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] >>`,
  );
  const outlines = file.reserve();
  const entries = outline.map(() => file.reserve());
  for (const [at, id] of entries.entries()) {
    const next = entries[at + 1] === undefined ? '' : `/Next ${entries[at + 1]} 0 R`;
    file.put(
      id,
      `<< /Title (${escaped(outline[at] as string)}) /Parent ${outlines} 0 R ${next} /Dest [${kids[0]} 0 R /Fit] >>`,
    );
  }
  const ends = entries.length > 0 ? `/First ${entries[0]} 0 R /Last ${entries.at(-1)} 0 R` : '';
  file.put(outlines, `<< /Type /Outlines /Count ${entries.length} ${ends} >>`);
  file.put(root, `<< /Type /Catalog /Pages ${tree} 0 R /Outlines ${outlines} 0 R >>`);
  return file.end(root, title, isEncrypted === true);
}

/** A PDF with one page, whose content is this stream. `extra` are further objects, by their numbers from 10. */
export function writeRawPdf(
  stream: Buffer,
  filters: string,
  resources = '',
  extra: readonly Buffer[] = [],
): Buffer {
  const file = new PdfWriter();
  const root = file.reserve();
  const tree = file.reserve();
  const content = file.addRaw(stream, filters);
  const page = file.add(
    `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 ${height}] /Contents ${content} 0 R /Resources << ${resources} >> >>`,
  );
  file.put(tree, `<< /Type /Pages /Count 1 /Kids [${page} 0 R] >>`);
  file.put(root, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
  while (file.next < 10) file.reserve();
  for (const object of extra) file.put(file.reserve(), object);
  return file.end(root, undefined, false);
}

function contentOf(texts: readonly PdfText[]): string {
  return texts
    .map(({ text, x = 72, y, size = 10, font = 'body' }) => {
      const at = `1 0 0 1 ${x} ${height - y} Tm`;
      return `BT /${font} ${size} Tf ${at} (${escaped(text)}) Tj ET`;
    })
    .join('\n');
}

const escaped = (text: string) => text.replace(/[\\()]/g, '\\$&');

class PdfWriter {
  readonly #objects: (string | Buffer)[] = [];

  /** The number of the next object. */
  get next(): number {
    return this.#objects.length + 1;
  }

  reserve(): number {
    return this.#objects.push('null');
  }

  put(id: number, object: string | Buffer): void {
    this.#objects[id - 1] = object;
  }

  add(object: string): number {
    return this.#objects.push(object);
  }

  addStream(content: string): number {
    return this.addRaw(deflateSync(Buffer.from(content, 'latin1')), '/FlateDecode');
  }

  addRaw(stream: Buffer, filters: string): number {
    return this.#objects.push(streamObject(stream, `/Filter ${filters}`));
  }

  end(root: number, title: string | undefined, isEncrypted: boolean): Buffer {
    const info = title === undefined ? undefined : this.add(`<< /Title (${escaped(title)}) >>`);
    const key = `<${'ab'.repeat(32)}>`;
    const encrypt = isEncrypted
      ? this.add(`<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -44 >>`)
      : undefined;
    const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
    const offsets: number[] = [];
    let length = parts[0]?.length ?? 0;
    const write = (part: Buffer | string) => {
      const bytes = Buffer.from(part as string, 'latin1');
      parts.push(bytes);
      length += bytes.length;
    };
    for (const [at, object] of this.#objects.entries()) {
      offsets.push(length);
      write(`${at + 1} 0 obj\n`);
      write(object);
      write('\nendobj\n');
    }
    const start = length;
    const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
    write(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join('')}`);
    const more = `${info ? `/Info ${info} 0 R` : ''} ${encrypt ? `/Encrypt ${encrypt} 0 R /ID [<aa> <aa>]` : ''}`;
    write(
      `trailer\n<< /Size ${offsets.length + 1} /Root ${root} 0 R ${more} >>\nstartxref\n${start}\n%%EOF\n`,
    );
    return Buffer.concat(parts);
  }
}

export function streamObject(stream: Buffer, entries: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${stream.length} ${entries} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream'),
  ]);
}
