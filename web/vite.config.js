import { defineConfig } from 'vite'

/** Puts scripts and styles into the page itself, so that it is one file and asks for nothing. */
function oneFile() {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      let html = page.source
      for (const [name, part] of Object.entries(bundle)) {
        if (name.endsWith('.js')) {
          html = html.replace(/\s*<script type="module"[^>]*><\/script>/, '')
          const code = part.code.replace(/<\/script/gi, '<\\/script')
          html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`)
          delete bundle[name]
        } else if (name.endsWith('.css')) {
          html = html.replace(/\s*<link rel="stylesheet"[^>]*>/, () => `\n<style>${part.source}</style>`)
          delete bundle[name]
        }
      }
      page.source = html
    }
  }
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: 'es2020',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    reportCompressedSize: false,
    rollupOptions: { output: { inlineDynamicImports: true } }
  }
})
