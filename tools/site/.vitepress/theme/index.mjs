/** The usual theme with the fonts of the reader's system: its own would be a megabyte. */
import theme from 'vitepress/theme-without-fonts'
import './example.css'

export default theme
