import { crc32, deflateSync } from 'node:zlib';

/** @returns a PNG of a boarding pass, as the data URL under which multimodal calls carry it. */
export function drawTicket(width = 320, height = 180) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(colorAt(x, y, width, height), y * (1 + width * 3) + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    writeChunk('IHDR', header),
    writeChunk('IDAT', deflateSync(rows)),
    writeChunk('IEND', Buffer.alloc(0)),
  ];
  return `data:image/png;base64,${Buffer.concat([signature, ...chunks]).toString('base64')}`;
}

/** A white card on blue with a dark band, lines of text and a bar code. */
function colorAt(x, y, width, height) {
  const isCard = x > 12 && y > 12 && x < width - 12 && y < height - 12;
  if (!isCard) return [28, 82, 140];
  if (y < 44) return [16, 44, 84];
  const isText = x > 28 && x < 200 && y > 58 && (y - 58) % 18 < 6 && x < 120 + ((y * 37) % 80);
  const isBar = x > 224 && x < width - 28 && y > 58 && y < height - 28 && ((x * 2_654_435_761) >>> 29) % 2 === 0;
  return isText || isBar ? [40, 44, 52] : [250, 250, 246];
}

function writeChunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
